"""What waits in the frontier: seeds, and because of a visit the links of its page and the target of its redirect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlalchemy import Connection

from crawler.discovery.index_files import IndexFile, Kind
from crawler.discovery.site_search import ANSWERS, NEXT
from crawler.frontier.frontier import SEED_SCORE, Frontier
from crawler.frontier.new_urls import NewUrl, netloc, new_among
from crawler.reader.html.urls import host
from crawler.records import Analysis, Link, Visit
from crawler.store.renamed import pages as renamed
from crawler.store.renamed.departures import Departures
from crawler.store.revisits import worth_of_new

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
) -> list[NewUrl]:
    """The URLs of these links of the visit's page, with their scores. Of a page that was visited before, links to pages
    of its own host are news, and wait with a worth of their own. While the host is moving, links by the names of pages
    on the topic come before everything, whatever page shows them."""
    found = _placed(visit, analysis, links, scores)
    home, now = netloc(visit.claim.url), visit.fetched_at
    is_again, is_moving = visit.claim.seen is not None, departures.is_moving(home, now)
    if not is_again and not is_moving:
        return found
    news = [link for link in links if not link.index_kind and netloc(link.url) == home]
    named = renamed.expected(connection, topic_id, visit.claim.id, news, departures.since(home, now) is not None)
    worths: dict[str, float] = {}
    scheme = visit.claim.url.partition("//")[0]  # many sites name each page by its address in another scheme too
    for link in news:
        likely = named.get(link.url)
        if is_moving and likely and link.url.startswith(scheme):
            worths[link.url] = renamed.FIRST + likely
        elif is_again:
            worths[link.url] = worth_of_new(chance(link.url, scores[link.url]) if likely is None else likely)
    return [url._replace(score=worths[url.url], pinned=True) if url.url in worths else url for url in found]


def _placed(visit: Visit, analysis: Analysis, links: Sequence[Link], scores: Mapping[str, float]) -> list[NewUrl]:
    """What an index file lists stands where the index file stands: it is neither a page on the way nor a
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


def redirect_target(visit: Visit) -> NewUrl:
    """It stands where its source stood."""
    claim = visit.claim
    return NewUrl(visit.target, claim.score, claim.depth, claim.distance, claim.hops + 1, claim.id, claim.index_kind)
