"""The public interface of Zhuti, explained with examples in docs/api.md. What is named here changes only with notice,
see CONTRIBUTING.md; everything below `crawler` may change.

Reading pages and harvests:

extract, keywords, language   what a page says
Topic, judge                  how near a text is to a topic
Harvest, Document             what crawls have kept

For a link scorer, an extractor or a page judge of your own:

Extractor, Page, Extraction, PageKind               an extractor takes a page and gives an extraction
Post, BodyLink, Image                               parts of an extraction
Judge, Judgement                                    a page judge says whether an extraction is on topic
LinkScorer, Part, JudgedPage, Outlink, Link, Ended  a link scorer learns pages and gives URLs their scores

SeedSource, Proposal                                a source of seeds takes words and proposes pages

CrawlerError is the base of all errors that the user can correct.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from crawler.errors import CrawlerError, SourceError, TopicError
from crawler.extract.registry import Extractor
from crawler.extract.registry import extractor as _extractor
from crawler.html.page import Page
from crawler.messages import _
from crawler.records import BodyLink, Ended, Extraction, Image, JudgedPage, Judgement, Link, Outlink, PageKind, Post
from crawler.scorers.base import LinkScorer, Part
from crawler.seeding.source import Proposal, SeedSource
from crawler.text.charset import decode
from crawler.text.measures import language
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

if TYPE_CHECKING:
    from zhuti.harvest import Document, Harvest

__all__ = [
    "BodyLink",
    "CrawlerError",
    "Document",
    "Ended",
    "Extraction",
    "Extractor",
    "Harvest",
    "Image",
    "Judge",
    "JudgedPage",
    "Judgement",
    "Link",
    "LinkScorer",
    "Outlink",
    "Page",
    "PageKind",
    "Part",
    "Post",
    "Proposal",
    "SeedSource",
    "SourceError",
    "Topic",
    "extract",
    "judge",
    "keywords",
    "language",
    "learned_topic",
]

JUDGES = 8  # topics whose words are kept ready


def __getattr__(name: str) -> Any:
    """Harvest and Document need the database, which is loaded when they are asked for: processes of analysis import
    plug-ins, and these import `zhuti`."""
    if name not in ("Document", "Harvest"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from zhuti import harvest

    return getattr(harvest, name)


def extract(
    html: str | bytes, url: str = "", extractor: str = "best", *, links: bool = False, images: bool = False
) -> Extraction:
    """Body, title, author, publish time and kind of a page; the encoding of bytes is detected.

    Args:
        html: the page, as text or as it was fetched.
        url: its address, which helps to tell lists from posts.
        extractor: a value of the setting EXTRACTOR.
        links: whether to find the links of the body, too; `best-markdown` shows them in the body.
        images: whether to find its pictures, likewise.

    Returns:
        What was found. A page without a body gives a `reason` and no exception.

    Raises:
        SettingError: unknown extractor, or one that finds no links and pictures.
        ModelError: its model cannot be read.
    """
    wanted = [name for name, is_wanted in (("links", links), ("images", images)) if is_wanted]
    return _extractor(extractor, wanted)(_page(html, url))


def keywords(html: str | bytes, url: str = "") -> list[str]:
    """Up to ten words that hold the page together, the best first."""
    from crawler.extract.keywords import keywords as _keywords  # networkx, which plug-ins need not load

    page = _page(html, url)
    return _keywords(_extractor("best")(page), page)


def judge(text: str | Extraction | Page, topic: str | Topic) -> Judgement:
    """How near a text is to a topic.

    Args:
        text: the text, what `extract` found of a page, or the page itself: this is judged as a crawl does, by title,
            body and the tags that its author gave it.
        topic: a bundled topic's name, the path of a .toml file, or a Topic.

    Returns:
        Its similarity in [0, 1), and whether a crawl would keep it.

    Raises:
        TopicError: unknown topic, or one that is learned from pages of the Web, which only a crawl fetches.
    """
    by = _judge_of(topic) if isinstance(topic, str) else Judge(learned_topic(topic))
    if isinstance(text, Page):
        from crawler.analyse import analyse  # which plug-ins need not load

        return analyse(text, _extractor("best"), by).final_judgement()
    return by.judge(text if isinstance(text, Extraction) else Extraction(body=text))


def learned_topic(topic: str | Topic) -> Topic:
    """The topic with the words that it has learned. Raises TopicError as `judge` does."""
    return _learned(Topic.load(topic) if isinstance(topic, str) else topic)


def _page(html: str | bytes, url: str) -> Page:
    return Page(html if isinstance(html, str) else decode(html)[0], url)


@lru_cache(JUDGES)
def _judge_of(topic: str) -> Judge:
    return Judge(learned_topic(topic))


def _learned(topic: Topic) -> Topic:
    if topic.vector is not None:
        return topic
    if topic.describing_pages:
        raise TopicError(
            _("topic '{name}' has not been learned from its pages yet; start a crawl for it", name=topic.name)
        )
    return topic.learn()
