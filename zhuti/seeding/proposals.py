"""From words to proposals: what the sources name, in turn, each address once; and which of them are about the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from crawler.reader.html.urls import canonical, host
from crawler.records import similarity_of
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from crawler.topic.learn import Description
from zhuti.seeding.source import Proposal, SeedSource

OF_A_HOST = 2  # pages that are looked at; the first page of a source is its best
LOOKED_AT = 100  # names of a source that are looked at for each page wanted: a source need not end


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
    names = [_first(source.proposals(words), limit * LOOKED_AT) for source in sources]
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
