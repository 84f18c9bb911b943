"""Step 0 of a crawl: the topic's vector from its own words, its describing pages, or its seed pages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from crawler.analyse import describe
from crawler.errors import SeedError, TopicError
from crawler.extract.base import Extractor
from crawler.text.charset import decode
from crawler.topic.files import Topic

logger = logging.getLogger(__name__)


class FetchError(Exception):
    """A describing page could not be fetched; the message says why."""


Fetch = Callable[[str], Awaitable[str]]  # address -> markup; raises FetchError


async def learn(topic: Topic, fetch: Fetch, extract: Extractor) -> Topic:
    """The topic with its vector, kept beside its file for the next time.

    A describing page that cannot be fetched is left out with a warning. Raises SeedError when none can be fetched and
    none is on disk, TopicError when a page on disk cannot be read, when the pages hold no usable word or the vector
    cannot be written, ModelError when the extractor's model or the background of words cannot be loaded.
    """
    if topic.vector is not None:
        return topic
    addresses = [page for page in topic.describing_pages if "://" in page]
    markups = [_read(Path(page)) for page in topic.describing_pages if "://" not in page]
    answers = await asyncio.gather(*(fetch(address) for address in addresses), return_exceptions=True)
    failures = []
    for address, answer in zip(addresses, answers, strict=True):
        if isinstance(answer, FetchError):
            failures.append(f"{address}: {answer}")
        elif isinstance(answer, BaseException):
            raise answer
        else:
            markups.append(answer)
    if failures and not markups:
        raise SeedError(
            f"none of the pages to learn topic '{topic.name}' from could be fetched ({'; '.join(failures)});"
            " check the addresses and the network, or name a topic with -a topic=NAME"
        )
    for failure in failures:
        logger.warning("topic %s is learned without one of its pages: %s", topic.name, failure)
    learned = await asyncio.to_thread(_learn, topic, markups, extract)
    learned.save_learned()
    return learned


def _learn(topic: Topic, markups: list[str], extract: Extractor) -> Topic:
    return topic.learn(describe(markup, extract) for markup in markups)


def _read(path: Path) -> str:
    try:
        return decode(path.read_bytes())[0]
    except OSError as error:
        raise TopicError(
            f"{path}: cannot read this describing page ({error.strerror}); correct 'pages' in the topic file"
        ) from error
