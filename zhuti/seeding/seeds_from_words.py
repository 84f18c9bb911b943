"""From words to seeds: what the sources name, in turn, each address once; which of them are about the words; and step 0
of a crawl that has words and no seeds, whose seeds these become."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from scrapy.settings import BaseSettings

from crawler.crawl.topic_from_pages import Describe, Fetch, FetchError
from crawler.crawl.worker import AnalysisError, CrawlEnded
from crawler.errors import SeedError
from crawler.messages import _, translated
from crawler.options import user_agent
from crawler.reader.html.urls import canonical, host
from crawler.reasons import told
from crawler.records import similarity_of
from crawler.topic.file_writer import topic_file
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from crawler.topic.learn import Description
from zhuti.seeding.source import Proposal, SeedSource, Surroundings
from zhuti.seeding.sources import seed_source
from zhuti.whole_file import whole_file

OF_A_HOST = 2  # pages that are looked at; the first page of a source is its best
NAMES = 100  # names of a source that are looked at for each page wanted: a source need not end


@dataclass(frozen=True, slots=True)
class Judged:
    """A proposed page that was looked at."""

    url: str
    title: str
    similarity: float  # to the words, in [0, 1]


def named_by(sources: Sequence[SeedSource], words: str, limit: int, allows: Callable[[str], bool]) -> list[Proposal]:
    """At most `limit` pages, from each source in turn, at most OF_A_HOST of a host. Raises SourceError."""
    hosts: Counter[str] = Counter()
    found: dict[str, Proposal] = {}
    names = [_first(source.proposals(words), limit * NAMES) for source in sources]
    for proposal in (proposal for turn in zip_longest(*names) for proposal in turn if proposal is not None):
        url = canonical(proposal.url) if "://" in proposal.url else None
        if url is None or url in found or hosts[host(url)] == OF_A_HOST or not allows(url):
            continue
        hosts[host(url)] += 1
        found[url] = Proposal(url, proposal.markup)
        if len(found) == limit:
            break
    return list(found.values())


def _first(proposals: Iterator[Proposal], most: int) -> Iterator[Proposal]:
    for _number, proposal in zip(range(most), proposals, strict=False):
        yield proposal


def ranked(topic: Topic, described: Iterable[tuple[str, Description]]) -> list[Judged]:
    """The pages (address, description) that have a body, the one that is most about the topic first."""
    judge, found = Judge(topic), []
    for url, page in described:
        if page.extraction.body.strip():
            nearness = judge.judge(page.extraction, page.subjects).nearness
            found.append(Judged(url, page.extraction.title, similarity_of(nearness)))
    return sorted(found, key=lambda page: (-page.similarity, page.url))


LOOKED_AT = 40  # pages that sources name
MOST_SEEDS = 10  # of them become seeds

logger = logging.getLogger(__name__)


def seed_sources(names: Iterable[str], settings: BaseSettings) -> list[SeedSource]:
    """Raises SeedError where there are none, SourceError for what is not a source."""
    surroundings = Surroundings(user_agent(settings), settings["STORE_URL"])
    found = [seed_source(name, surroundings) for name in names if name.strip()]
    if not found:
        raise SeedError(
            _(
                "words alone have no seeds: name a source, -s SEED_SOURCE=searxng:http://localhost:8080 (zhuti seeds"
                " find: --from), or give a crawl -a seeds=URL,URL"
            )
        )
    return found


def finder(settings: BaseSettings) -> Callable[[Topic, Fetch, Describe], Awaitable[Topic]]:
    """What gives a topic of words its seeds, from the sources of SEED_SOURCE. Raises as `seed_sources`."""
    sources = seed_sources(settings.getlist("SEED_SOURCE"), settings)
    return lambda topic, fetch, describe: find_seeds(topic, sources, fetch, describe)


async def find_seeds(topic: Topic, sources: Sequence[SeedSource], fetch: Fetch, describe: Describe) -> Topic:
    """The topic of these words with seeds, and with a file that says so: the next start reads that.

    Raises SeedError when no page is about the words, SourceError when a source cannot be used, TopicError when the file
    cannot be written."""
    for source in sources:
        if source.terms:
            logger.info("%s: %s", type(source).__name__, translated(source.terms))
    proposals = await asyncio.to_thread(named_by, sources, topic.title, LOOKED_AT, topic.allows)
    answers = await asyncio.gather(*(_described(proposal, fetch, describe) for proposal in proposals))
    pages = [(proposal.url, page) for proposal, page in zip(proposals, answers, strict=True) if page is not None]
    found = about(topic, await asyncio.to_thread(lambda: ranked(topic.learn(), pages)))[:MOST_SEEDS]
    if not found:
        raise SeedError(
            _(
                "SEED_SOURCE named {count} pages, {looked} of them could be looked at, and none is about the words;"
                " give other words, or seeds"
            ),
            count=len(proposals),
            looked=len(pages),
        )
    write_topic(topic, [page.url for page in found])
    logger.info(_("topic %s: %d of %d pages are seeds, see %s"), topic.name, len(found), len(proposals), topic.path)
    return Topic.load(str(topic.path), topic.path.parent)


def write_topic(topic: Topic, pages: Sequence[str]) -> None:
    """The file of a topic of words, with the pages that describe it. Raises ExportError."""
    text = topic_file(topic.title, pages)
    topic.path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(topic.path) as partial:
        partial.write_text(text, encoding="utf-8")


def about(topic: Topic, pages: Sequence[Judged]) -> list[Judged]:
    """Returns the pages that are about the topic, as a crawl would judge them."""
    return [page for page in pages if page.similarity >= topic.threshold]


async def _described(proposal: Proposal, fetch: Fetch, describe: Describe) -> Description | None:
    try:
        return await describe(proposal.markup if proposal.markup is not None else await fetch(proposal.url))
    except CrawlEnded:
        raise
    except (FetchError, AnalysisError) as error:
        logger.info(_("%s is not a seed: %s"), proposal.url, told(error.reason))
        return None
