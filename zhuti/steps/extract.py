"""What pages say."""

from __future__ import annotations

from datatrove.data import Document
from datatrove.utils.logging import logger

from crawler.analyse import extract
from crawler.document import found_in
from crawler.errors import CrawlerError
from crawler.extractors import extractor
from crawler.reader.html.urls import host
from crawler.reader.text.measures import language
from crawler.reader.text.minhash import signature
from crawler.store.duplicates import digest
from zhuti.steps.step import Step, WebPage


class Extract(Step):
    """Puts the body in the place of the markup, and title, author, time, kind, language, signature and digest beside
    it. A text without markup, such as one of a WET file, stays and gets language, signature and digest. A page without
    a body goes on with an empty text and the reason; one whose extraction fails is left out.

    Args:
        by: a value of the setting EXTRACTOR.

    Raises:
        SettingError: unknown extractor.
    """

    name = "Extract"

    def __init__(self, by: str = "best") -> None:
        super().__init__()
        extractor(by)  # what is wrong is told before anything starts
        self.by = by

    def look(self, document: Document) -> bool:
        if not isinstance(document, WebPage):
            document.metadata |= _told_of(document.text)
            return True
        try:
            document.analysis = found = extract(document.page, extractor(self.by))
            forbids = {*document.page.declared.forbids, *document.metadata.get("forbids", ())}
        except CrawlerError:
            raise
        except Exception as error:  # whatever one page provokes, the others go on
            logger.warning(f"{document.id}: the extraction failed: {type(error).__name__}: {error}")
            return False
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
