"""Step 0 of a crawl: the topic's vector from its own words, its describing pages, or its seed pages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from crawler.crawl.worker import AnalysisError
from crawler.errors import SeedError, TopicError
from crawler.messages import _
from crawler.reader.text.charset import decode
from crawler.reader.text.printable import printable
from crawler.reasons import ReasonError, told
from crawler.topic.files import Topic
from crawler.topic.learn import Description
from crawler.topic.naming import named
from crawler.topic.together import learned

FEW = 5  # pages; from fewer a topic is learned badly

logger = logging.getLogger(__name__)


class FetchError(ReasonError):
    """A describing page could not be fetched."""


Fetch = Callable[[str], Awaitable[str]]  # address -> markup; raises FetchError
Describe = Callable[[str], Awaitable[Description]]  # of markup; raises AnalysisError


async def learn_topic(topic: Topic, fetch: Fetch, describe: Describe) -> Topic:
    """The topic with its vector, kept beside its file for the next time, and with its name.

    A describing page that cannot be fetched or analysed is left out with a warning. Raises SeedError when that leaves
    none, TopicError when a page on disk cannot be read, when the pages hold no usable word or the vector cannot be
    written, ModelError when the extractor's model or the background of words cannot be loaded.
    """
    if topic.members:
        return learned(topic, [await learn_topic(member, fetch, describe) for member in topic.members])
    if topic.vector is not None:
        return topic if topic.vector.calibration else await _calibrated(topic)
    on_disk = {page: _read(Path(page)) for page in topic.describing_pages if "://" not in page}

    async def page_of(address: str) -> Description:
        return await describe(on_disk[address] if address in on_disk else await fetch(address))

    addresses = [*on_disk, *(page for page in topic.describing_pages if page not in on_disk)]
    answers = await asyncio.gather(*map(page_of, addresses), return_exceptions=True)
    failures, descriptions = [], []
    for address, answer in zip(addresses, answers, strict=True):
        if isinstance(answer, FetchError | AnalysisError):
            failures.append(f"{address}: {told(answer.reason)}")
        elif isinstance(answer, BaseException):
            raise answer
        else:
            descriptions.append(answer)
    if failures and not descriptions:
        raise SeedError(
            _(
                "none of the pages to learn topic '{name}' from could be fetched ({failures}); check the"
                " addresses and the network, or name a topic with -a topic=NAME"
            ),
            name=topic.name,
            failures="; ".join(failures),
        )
    topic = await asyncio.to_thread(topic.learn, descriptions)
    topic = named(topic) if topic.provisional else topic
    for failure in failures:
        logger.warning(_("topic %s is learned without the page %s"), topic.name, printable(failure))
    if topic.describing_pages == topic.seeds and 0 < len(descriptions) < FEW:
        few = _(
            "topic %s is learned from only %d pages; give %d or more about it, and check the words with"
            " `zhuti topic show %s`"
        )
        logger.warning(few, topic.name, len(descriptions), FEW, topic.name)
    topic.save_learned()
    return topic


async def _calibrated(topic: Topic) -> Topic:
    """A topic that an older program has learned."""
    found = await asyncio.to_thread(topic.calibrated)
    found.save_learned()
    return found


def _read(path: Path) -> str:
    try:
        return decode(path.read_bytes())[0]
    except OSError as error:
        raise TopicError(
            _("{path}: cannot read this describing page ({error.strerror}); correct 'pages' in the topic file"),
            path=path,
            error=error,
        ) from error
