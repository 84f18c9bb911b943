"""The public interface of Zhuti, explained with examples in docs/api.md.

extract, keywords, language   what a page says
Topic, judge                  how near a text is to a topic
Harvest, Document             what crawls have kept
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Self

from crawler.database.database import Database
from crawler.errors import CrawlerError, ExportError, TopicError
from crawler.extract.keywords import keywords as _keywords
from crawler.extract.registry import extractor as _extractor
from crawler.html.page import Page
from crawler.messages import _
from crawler.records import Extraction, Judgement, PageKind
from crawler.store.export.document import Document
from crawler.store.export.selection import Selection, documents
from crawler.store.names import topic_id_of, topic_ids
from crawler.text.charset import decode
from crawler.text.measures import language
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

__all__ = [
    "CrawlerError",
    "Document",
    "Extraction",
    "Harvest",
    "Judgement",
    "PageKind",
    "Topic",
    "extract",
    "judge",
    "keywords",
    "language",
]

JUDGES = 8  # topics whose words are kept ready


def extract(html: str | bytes, url: str = "", extractor: str = "best") -> Extraction:
    """Body, title, author, publish time and kind of a page; its encoding is found where `html` is bytes.

    `url` helps to tell lists from posts. `extractor` is a value of the setting EXTRACTOR. A page without a body gives a
    reason and no exception; raises SettingError for an unknown extractor, ModelError when its model cannot be read.
    """
    return _extractor(extractor)(_page(html, url))


def keywords(html: str | bytes, url: str = "") -> list[str]:
    """The ten words that hold the page together, the best first."""
    page = _page(html, url)
    return _keywords(_extractor("best")(page), page)


def judge(text: str | Extraction, topic: str | Topic) -> Judgement:
    """How near a text is to a topic: its similarity in [0, 1], and whether a crawl would keep it.

    `topic` is a bundled one's name, the path of a .toml file, or a Topic. Raises TopicError for an unknown topic, and
    for one that is to be learned from pages of the Web, which a crawl fetches and nothing here does.
    """
    page = text if isinstance(text, Extraction) else Extraction(body=text)
    return (_judge_of(topic) if isinstance(topic, str) else Judge(_learned(topic))).judge(page)


class Harvest:
    """What crawls have kept in a database, to be read beside a running crawl. `store_url` as in STORE_URL.

    Raises StoreError when there is no harvest.
    """

    def __init__(self, store_url: str = "sqlite:///data/harvest.db") -> None:
        self._database = Database(store_url, readonly=True)

    @property
    def topics(self) -> list[str]:
        with self._database.transaction(shared=True) as connection:
            return list(topic_ids(connection))

    def pages(self, topic: str, **conditions: Any) -> Iterator[Document]:
        """Kept pages in the order in which they were found, some hundred of them in memory. `conditions` are the fields
        of Selection: min_similarity, since, until, hosts, languages, min_length, no_duplicates, and since_run, changed.

        Raises ExportError for an unknown topic.
        """
        with self._database.transaction(shared=True) as connection:
            yield from documents(connection, topic_id_of(connection, topic, ExportError), Selection(**conditions))

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _page(html: str | bytes, url: str) -> Page:
    return Page(html if isinstance(html, str) else decode(html)[0], url)


@lru_cache(JUDGES)
def _judge_of(topic: str) -> Judge:
    return Judge(_learned(Topic.load(topic)))


def _learned(topic: Topic) -> Topic:
    if topic.vector is not None:
        return topic
    if topic.describing_pages:
        raise TopicError(
            _("topic '{name}' has not been learned from its pages yet; start a crawl for it", name=topic.name)
        )
    return topic.learn()
