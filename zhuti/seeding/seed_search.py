"""`zhuti seeds find`: what sources name, fetched by a crawl's rules, ranked, and written into a topic file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from scrapy.settings import BaseSettings, Settings

from crawler.analyse import describe
from crawler.crawl.topic_from_pages import FetchError
from crawler.errors import SeedError
from crawler.extractors import extractor
from crawler.messages import _, translated
from crawler.reader.html.page import Page
from crawler.reader.text.printable import legible, to_stderr
from crawler.reasons import told
from crawler.spiders.page import fetched
from crawler.topic.file_writer import add_seeds
from crawler.topic.files import Topic
from crawler.topic.learn import Description
from crawler.topic.of_words import topic_of_words, unseeded
from zhuti.seeding.seeds_from_words import Judged, about, named_by, ranked, seed_sources, write_topic
from zhuti.seeding.source import Proposal


class SeedSearch:
    """A search for seeds by words. `topic`: the name of the topic that they are for, "" for a new one."""

    def __init__(self, words: str, topic: str, settings: BaseSettings) -> None:
        """Raises SeedError for words that cannot be used, TopicError for an unknown topic."""
        directory = Path(settings["TOPICS_DIR"])
        self._settings = settings
        self._words = unseeded(words, "words", directory)
        self._topic = Topic.load(topic, directory) if topic else None

    def look(self, names: Sequence[str], limit: int) -> list[Judged]:
        """At most `limit` pages that the sources name, the best first. Raises SourceError, SeedError."""
        sources = seed_sources(names, self._settings)
        for source in sources:
            if source.terms:
                to_stderr(f"{type(source).__name__}: {translated(source.terms)}")
        proposals = named_by(sources, self._words.title, limit, (self._topic or self._words).allows)
        return ranked(self._words.learn(), self._described(proposals))

    def _described(self, proposals: Sequence[Proposal]) -> Iterator[tuple[str, Description]]:
        extract = extractor(self._settings["EXTRACTOR"])
        missing = [proposal.url for proposal in proposals if proposal.markup is None]
        answers = fetched(missing, cast("Settings", self._settings)) if missing else {}
        for proposal in proposals:
            answer = answers.get(proposal.url)
            if isinstance(answer, FetchError):
                reason = told(answer.reason)
                to_stderr(_("{url} could not be fetched: {reason}", url=legible(proposal.url), reason=reason))
                continue
            markup = proposal.markup if answer is None else answer.text
            yield proposal.url, describe(Page(markup or "", proposal.url), extract)

    def accept(self, pages: Sequence[Judged]) -> tuple[Path, int]:
        """Writes those that are about the words into the topic's file, or into a new one. Returns its path and how
        many they are. Raises SeedError, TopicError, ExportError."""
        found = [page.url for page in about(self._words, pages)]
        if not found:
            raise SeedError(_("none of these pages is about the words; give other words or sources"))
        if self._topic is None:
            directory = Path(self._settings["TOPICS_DIR"])
            new = topic_of_words(self._words.title, "", directory)
            if not new.path.exists():
                write_topic(new, found)
                return new.path, len(found)
            self._topic = new
        found = [url for url in found if url not in self._topic.seeds]
        return add_seeds(self._topic, found, Path(self._settings["TOPICS_DIR"])), len(found)
