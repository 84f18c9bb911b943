"""What waits in the frontier: seeds, and because of a visit the links of its page the target of its redirect, and
the further pages of threads and articles: where FURTHER_PAGES asks for them, they come with their first page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from crawler.database.statements import Query
from crawler.discovery.index_files import IndexFile, Kind
from crawler.discovery.site_search import ANSWERS, NEXT
from crawler.frontier.frontier import SEED_SCORE, Frontier
from crawler.frontier.new_urls import NewUrl, netloc, new_among
from crawler.reader.html.urls import host
from crawler.reasons import Code
from crawler.records import Analysis, Link, Outcome, PageKind, Visit
from crawler.scorers.learned.words import first_pages, page_number
from crawler.store.fetch_log import Settled
from crawler.store.renamed import pages as renamed
from crawler.store.renamed.departures import Departures
from crawler.store.revisits import LIKELY, worth_of_new

Chance = Callable[[str, float], float]  # LinkScorer.chance


def seed(
    connection: Connection,
    topic_id: int,
    frontier: Frontier,
    seeds: Sequence[str],
    index_files: Iterable[IndexFile],
    now: float,
) -> None:
    """Lets the seeds wait, and before those that are new the index files of their hosts."""
    new = {host(url) for url in new_among(connection, topic_id, seeds)}
    frontier.seed(seeds, now=now)
    ahead = [NewUrl(file.url, 2 * SEED_SCORE, index_kind=file.kind) for file in index_files if host(file.url) in new]
    frontier.add(ahead, now, improve=False)


def found_urls(
    connection: Connection,
    topic_id: int,
    visit: Visit,
    analysis: Analysis,
    links: Sequence[Link],
    scores: Mapping[str, float],
    chance: Chance,
    departures: Departures,
    revisits: bool = False,
) -> list[NewUrl]:
    """The URLs of these links of the visit's page, with their scores. Of a page that was visited before, links to pages
    of its own host are news, and wait with a worth of their own; in a run that `revisits`, LIKELY ones of any page.
    While the host is moving, links by the names of pages on the topic come before everything, whatever page shows
    them."""
    found = _placed(visit, analysis, links, scores)
    home, now = netloc(visit.claim.url), visit.fetched_at
    is_again, is_moving = visit.claim.seen is not None, departures.is_moving(home, now)
    if not (is_again or is_moving or revisits):
        return found
    news = [link for link in links if not link.index_kind and netloc(link.url) == home]
    named = renamed.expected(connection, topic_id, visit.claim.id, news, departures.since(home, now) is not None)
    worths: dict[str, float] = {}
    scheme = visit.claim.url.partition("//")[0]  # many sites name each page by its address in another scheme too
    for link in news:
        likely = named.get(link.url)
        sure = chance(link.url, scores[link.url]) if likely is None else likely
        if is_moving and likely and link.url.startswith(scheme):
            worths[link.url] = renamed.FIRST + likely
        elif is_again or (revisits and sure >= LIKELY):
            worths[link.url] = worth_of_new(sure)
    return [url._replace(score=worths[url.url], pinned=True) if url.url in worths else url for url in found]


def _placed(visit: Visit, analysis: Analysis, links: Sequence[Link], scores: Mapping[str, float]) -> list[NewUrl]:
    """What an index file lists is where the index file is: it is neither a page on the way nor a
    seed."""
    claim = visit.claim
    depth, distance = max(1, claim.depth), claim.distance
    if not claim.index_kind:
        depth, distance = claim.depth + 1, 0 if analysis.judgement.on_topic else distance + 1
    placed = [
        NewUrl(link.url, scores[link.url], depth, distance, via=claim.id, index_kind=link.index_kind) for link in links
    ]
    if claim.index_kind != Kind.SEARCH:
        return placed
    # Further answers to a query are as many steps away as redirects would be, and the rows remember how many.
    further = {link.url for link in links if link.index_kind and link.rel == NEXT}
    steps = claim.hops + 1
    return [
        url._replace(hops=steps) if url.url in further else url
        for url in placed
        if steps < ANSWERS or url.url not in further
    ]


_FIRST = Query("SELECT first.url, first.id FROM urls u JOIN urls first ON first.id = u.further_of WHERE u.id = :row")
_OF_KEPT = Query(
    "SELECT u.id FROM urls u JOIN judgements j ON j.url_id = u.further_of"
    f" WHERE u.id IN :rows AND j.outcome = '{Outcome.KEPT}'"
)


def with_further(
    connection: Connection, item: Settled, links: Sequence[Link], found: Iterable[NewUrl], most: int
) -> list[NewUrl]:
    """`found`, the URLs of the links of a page. Those that are further pages of it, or of the post that it goes on
    with, are worth as much as it, if it is not a list and was kept at its first visit; of a post the first `most`."""
    is_list = item.judged is not None and item.judged.extraction.kind is PageKind.LIST
    is_post = (item.outcome is Outcome.KEPT or item.is_part) and item.visit.claim.seen is None and not is_list
    firsts = _firsts(connection, item, links, most) if most and is_post else {}
    if not firsts:
        return list(found)
    score = item.visit.claim.score
    return [
        url._replace(score=max(score, url.score), pinned=True, further_of=firsts[url.url]) if url.url in firsts else url
        for url in found
    ]


def as_parts(connection: Connection, settled: Sequence[Settled]) -> list[Settled]:
    """Keeps the texts of further pages that only their similarity drops, where their post is kept: a page of short
    answers says little of the topic by itself, and is a part of the post all the same."""
    dropped = [
        item.visit.claim.id
        for item in settled
        if item.outcome is Outcome.OFF_TOPIC and item.reason.code is Code.SIMILARITY
    ]
    parts = {row for (row,) in _OF_KEPT.rows(connection, rows=dropped)} if dropped else set()
    return [replace(item, is_part=True) if item.visit.claim.id in parts else item for item in settled]


def _firsts(connection: Connection, item: Settled, links: Sequence[Link], most: int) -> dict[str, int]:
    """The row of the first page, by the address of each further one."""
    numbered = [
        (link.url, first)
        for link in links
        if 1 < page_number(link.anchor) <= most + 1
        for first in first_pages(link.url, link.anchor)
    ]
    if not numbered:
        return {}
    claim = item.visit.claim
    posts: dict[str, int] = {claim.url: claim.id, **dict(_FIRST.rows(connection, row=claim.id))}
    return {url: posts[first] for url, first in numbered if first in posts and url not in posts}
