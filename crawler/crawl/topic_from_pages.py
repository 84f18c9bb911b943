"""Step 0 of a crawl: the topic's vector from its own words, its describing pages, or its seed pages; the name of one
that is learned from seeds, its strongest words; and one topic for several that one crawl serves: a page is worth what
it is worth to the best of them."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from crawler.bundled import TOPICS
from crawler.crawl.worker import AnalysisError
from crawler.errors import SeedError, TopicError
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.reader.text.charset import decode
from crawler.reader.text.harmful import Harmful
from crawler.reader.text.printable import printable
from crawler.reasons import ReasonError, told
from crawler.topic.files import JOINT, LEARNED, Topic
from crawler.topic.learn import Description
from crawler.topic.vector import TopicVector, digest_of, read_vector

MOST_WORDS = 5  # of a name: three, or more where other topics share them
LONGEST_WORD = 30  # bytes of a word in a name: a file name has room for 255

_WORD = re.compile(r"[^\W\d_]\w+")  # safe in file names and as a key of TOML, once it is quoted


def known_name(
    seeds: Sequence[str], directory: Path, keywords: Mapping[str, float] | None = None, texts: Sequence[str] = ()
) -> str:
    """The name under which a topic was learned from these seeds and words, or from the texts alone, before; "" if none
    was."""
    digest = digest_of(keywords or {}, texts, () if texts else seeds)
    for path in sorted(directory.glob(f"*{LEARNED}")):
        name = path.name.removesuffix(LEARNED)
        if not _is_file(name, directory) and read_vector(path, digest) is not None:
            return name
    return ""


def named(topic: Topic, titles: Sequence[str] = ()) -> Topic:
    """The learned topic under the words that a person typed, else under its strongest words in the seeds' titles, else
    in all text; with as many more as make the name its own. Where there are none it keeps its provisional name."""
    assert topic.vector is not None
    strongest, said = topic.vector.heaviest(len(topic.vector.weights)), " ".join((*topic.texts, *titles)).lower()
    first, rest = (
        [word for word in found if _WORD.fullmatch(word) and len(word.encode()) <= LONGEST_WORD]
        for found in (topic.keywords or [word for word in strongest if word in said], strongest)
    )
    least = min(len(first) or len(rest), MOST_WORDS - 2)
    words = [*dict.fromkeys((*first[:least], *rest))]
    for count in range(least, MOST_WORDS + 1) if words else ():
        name = "-".join(words[:count])
        found = replace(topic, name=name, path=topic.path.with_name(f"{name}.toml"), provisional=False)
        if not _is_file(name, topic.path.parent) and _is_free(found):
            return found
    return replace(topic, provisional=False)


def _is_file(name: str, directory: Path) -> bool:
    return any((folder / f"{name}.toml").is_file() for folder in (directory, TOPICS))


def _is_free(topic: Topic) -> bool:
    """Whether nothing was learned under this name, or the same: another worker of the crawl is as far as this one."""
    return read_vector(topic.learned_path) in (None, read_vector(topic.learned_path, topic.digest))


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
    topic = named(topic, [page.extraction.title for page in descriptions]) if topic.provisional else topic
    for failure in failures:
        logger.warning(_("topic %s is learned without the page %s"), topic.name, printable(failure))
    if topic.describing_pages == topic.seeds and not topic.keywords and 0 < len(descriptions) < FEW:
        few = _(
            "topic %s is learned from only %d pages; give %d or more articles about it (a home page says little), or"
            ' two words that they contain with -a words="...", and check what was learned with `zhuti topic show %s`'
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
    with at_path(path, TopicError):
        return decode(path.read_bytes())[0]


def together(topics: Sequence[Topic], directory: Path) -> Topic:
    """The topic of a crawl for all of them, before they are learned. Raises TopicError where one is named twice."""
    names = [topic.name for topic in topics]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise TopicError(_("topic {name} is named twice; name each topic once"), name=twice[0])
    name, harmful = JOINT.join(names), {topic.harmful for topic in topics}
    return Topic(
        name,
        directory / f"{name}.toml",
        title=" + ".join(topic.title or topic.name for topic in topics),
        pages=tuple(dict.fromkeys(chain.from_iterable(topic.describing_pages for topic in topics))),
        seeds=tuple(dict.fromkeys(chain.from_iterable(topic.seeds for topic in topics))),
        threshold=min(topic.threshold for topic in topics),
        harmful=harmful.pop() if len(harmful) == 1 else Harmful.KEEP,
        denied_networks=tuple(chain.from_iterable(topic.denied_networks for topic in topics)),
        members=tuple(topics),
    )


def learned(topic: Topic, members: Sequence[Topic]) -> Topic:
    """The joint topic once its members are learned. Its vector rates the words of links: as the best member does."""
    weights: dict[str, float] = {}
    for vector in (member.vector for member in members):
        assert vector is not None
        for term in vector.weights:
            weights[term] = max(weights.get(term, 0.0), vector.relevance(term))
    return replace(topic, members=tuple(members), vector=TopicVector(weights, by_meaning=False))
