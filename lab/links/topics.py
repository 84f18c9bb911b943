"""Topics that a study learns without a network."""

from __future__ import annotations

from pathlib import Path

from crawler.analyse import describe
from crawler.errors import TopicError
from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.text.charset import decode
from crawler.topic.files import Topic
from lab.links.recorded import RecordedWeb


def learned(topic: Topic, web: RecordedWeb, extractor_name: str) -> Topic:
    """The topic with its vector, as a crawl learns it. Describing pages on the Web are taken from the recorded web.

    Raises TopicError when one of them is missing."""
    if topic.vector is not None:
        return topic
    extract = extractor(extractor_name)
    return topic.learn(describe(Page(_markup(page, topic, web)), extract) for page in topic.describing_pages)


def _markup(page: str, topic: Topic, web: RecordedWeb) -> str:
    if "://" in page:
        reply = web.fetch(page)
        if not reply.is_page:
            raise TopicError(f"{topic.path}: describing page {page} is not in the recorded web; take it out of 'pages'")
        return reply.markup
    try:
        return decode(Path(page).read_bytes())[0]
    except OSError as error:
        raise TopicError(f"{page}: cannot read this describing page ({error.strerror}); correct 'pages'") from error
