"""What pages say."""

from __future__ import annotations

from datatrove.data import Document

from crawler.document import found_in
from crawler.extractors import extractor
from crawler.reader.html.urls import host
from crawler.reader.text.measures import language
from crawler.reader.text.minhash import signature
from crawler.settings import ANALYSE_MEMORY, ANALYSE_TIMEOUT
from crawler.store.duplicates import digest
from zhuti.steps.step import Bounded, WebPage


class Extract(Bounded):
    """Puts the body in the place of the markup, and title, author, time, kind, language, signature and digest beside
    it. A text without markup, such as one of a WET file, stays and gets language, signature and digest. A page without
    a body goes on with an empty text and the reason; one whose extraction fails, or takes more than a page may, is left
    out.

    Args:
        by: a value of the setting EXTRACTOR.
        seconds, memory: what a page may take; as ANALYSE_TIMEOUT and ANALYSE_MEMORY.

    Raises:
        SettingError: unknown extractor.
    """

    name = "Extract"

    def __init__(self, by: str = "best", seconds: float = ANALYSE_TIMEOUT, memory: int = ANALYSE_MEMORY) -> None:
        super().__init__(by, seconds, memory)
        extractor(by)  # what is wrong is told before anything starts

    def look(self, document: Document) -> bool:
        if not isinstance(document, WebPage):
            document.metadata |= _told_of(document.text)
            return True
        answer = self.ask("extract", document)
        if answer is None:
            return False
        found, document.content = answer
        document.analysis = found
        forbids = {*found.forbids, *document.metadata.get("forbids", ())}
        said = found.extraction
        document.text = said.body
        document.metadata |= {
            **found_in(found),
            "reason": str(said.reason),
            "host": host(document.id),
            "canonical": found.canonical,
            "subjects": list(found.subjects),
            "forbids": sorted(forbids),
            "signature": found.signature,
            "digest": digest(said.body) if said.body else b"",
        }
        return True


def _told_of(text: str) -> dict[str, object]:
    return {"language": language(text), "signature": signature(text), "digest": digest(text)}
