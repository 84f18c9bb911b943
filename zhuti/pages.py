"""What a page says, and how near it is to a topic."""

from __future__ import annotations

from functools import lru_cache

from crawler.analyse import analyse
from crawler.errors import TopicError
from crawler.extractors import extractor as _extractor
from crawler.messages import _
from crawler.reader.html.page import Page
from crawler.reader.text.charset import decode
from crawler.records import Extraction, Judgement
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

JUDGES = 8  # topics whose words are kept ready


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
    from zhuti.keywords import keywords as _keywords  # networkx, which plug-ins need not load

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
