"""Kept pages whose site has renamed them: the page gets its new address and keeps its text, versions and history.

A page has moved when a duplicate of it is there and its own address is not: it was missing at its last visit (404, 410,
or a redirect), or it counts as gone. A site renames many pages at once. So when several pages of a host are missing,
another one that was not visited since has moved as soon as its text is found at another address of the host.

Until then a new link by the name of a page that the host had before is expected to lead to that page.

The rows of the two pages exchange their addresses, and their judgements the pages: what refers to the kept page (its
versions, bands and duplicates) stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from crawler.clock import DAY
from crawler.database.statements import Many, Query, chunks
from crawler.frontier.new_urls import netloc
from crawler.html.urls import domain, host
from crawler.reasons import NONE, Code, Reason, read, stored
from crawler.records import Link, Outcome
from crawler.store.fetch_log import Settled
from crawler.store.visits import is_missing

# Days without a visit after which the old address of a page that is found at another one is asked again.
ASK_AFTER = 1.0
SEVERAL = 2  # pages of a host that are missing: the host has renamed its pages, or lost them
MOST_NAMED = 10_000  # pages of a host whose names are compared with those of new links, those found last
LATELY = 60.0  # days for which such a miss tells of the others

_PAIRS = f"""
SELECT jo.url_id, jn.url_id, p.id, q.id, p.url, q.url, p.warc_file, p.warc_offset, q.warc_file, q.warc_offset,
    p.gone_at, vo.missing, vo.visited_at, jn.reason, jo.nearness
FROM judgements jn JOIN pages q ON q.id = jn.page_id JOIN pages p ON p.id = jn.duplicate_of
JOIN judgements jo ON jo.page_id = p.id AND jo.topic_id = jn.topic_id AND jo.outcome = '{Outcome.KEPT.value}'
JOIN visits vo ON vo.url_id = jo.url_id JOIN visits vn ON vn.url_id = jn.url_id
WHERE jn.topic_id = :topic AND jn.outcome = '{Outcome.DUPLICATE.value}' AND vn.missing = 0
  AND NOT EXISTS (SELECT 1 FROM judgements other WHERE other.page_id IN (p.id, q.id) AND other.topic_id <> :topic)
"""
_OF_DUPLICATES = Query(f"{_PAIRS} AND jn.url_id IN :rows ORDER BY jn.url_id")
_OF_MISSING = Query(
    f"{_PAIRS} AND jn.duplicate_of IN (SELECT page_id FROM judgements WHERE url_id IN :rows) ORDER BY jn.url_id"
)
# Since when several pages of the host are missing: the second oldest of the recent misses.
_MISSES = Query("""
SELECT v.missing_since FROM visits v JOIN urls u ON u.id = v.url_id
WHERE u.topic_id = :topic AND u.host_id = (SELECT host_id FROM urls WHERE id = :row) AND v.missing > 0
  AND v.missing_since >= :since ORDER BY v.missing_since
""")
_PAGES = Query(f"""
SELECT u.url, p.title, j.on_topic, j.nearness FROM urls u JOIN judgements j ON j.url_id = u.id
JOIN pages p ON p.id = j.page_id
WHERE u.topic_id = :topic AND u.host_id = (SELECT host_id FROM urls WHERE id = :row)
ORDER BY u.id DESC LIMIT {MOST_NAMED}
""")
_LEAVE = Many("UPDATE pages SET url = 'moving:' || pages.id FROM new WHERE pages.id = new.id", id="integer")
_SETTLE = Many(
    "UPDATE pages SET url = new.url, moved_from = new.former, moved_at = new.at, gone_at = new.gone,"
    " warc_file = new.file, warc_offset = new.place FROM new WHERE pages.id = new.id",
    id="integer",
    url="text",
    former="text",
    at="double precision",
    gone="double precision",
    file="text",
    place="bigint",
)
_JUDGE = Many(
    "UPDATE judgements SET page_id = new.page, outcome = new.outcome, duplicate_of = new.first, reason = new.reason"
    " FROM new WHERE judgements.url_id = new.id",
    id="integer",
    page="integer",
    outcome="text",
    first="integer",
    reason="text",
)


class Candidate(NamedTuple):
    """A kept page and a duplicate of it, in the order of _PAIRS."""

    old_row: int
    new_row: int
    page: int  # the kept page's
    repeated: int  # the duplicate's
    old: str  # addresses
    new: str
    old_file: str | None
    old_offset: int | None
    new_file: str | None
    new_offset: int | None
    gone_at: float | None
    missing: int
    visited_at: float
    reason: str  # as it is stored, of the duplicate
    nearness: float

    @property
    def is_word_for_word(self) -> bool:
        return read(self.reason).code is Code.WORD_FOR_WORD


def follow(connection: Connection, topic_id: int, settled: Sequence[Settled], now: float) -> dict[int, float]:
    """Moves the pages that have moved, of the visits that were just stored. Returns the rows of old addresses that
    should be asked whether they are still there, with the nearness of their pages."""
    repeats = [item.visit.claim.id for item in settled if item.outcome is Outcome.DUPLICATE]
    missing = [item.visit.claim.id for item in settled if is_missing(item.visit)]
    ask: dict[int, float] = {}
    done: set[int] = set()  # one of several duplicates is enough
    for query, rows in ((_OF_DUPLICATES, repeats), (_OF_MISSING, missing)):
        for chunk in chunks(rows):
            for pair in map(Candidate._make, query.rows(connection, topic=topic_id, rows=chunk)):
                if done & {pair.page, pair.repeated}:
                    continue
                if _has_moved(connection, topic_id, pair, now):
                    _move(connection, pair, now)
                    done |= {pair.page, pair.repeated}
                elif pair.is_word_for_word and _is_stale(pair, now):
                    ask[pair.old_row] = pair.nearness
    return ask


def expected(connection: Connection, topic_id: int, row: int, links: Sequence[Link], now: float) -> dict[str, float]:
    """The chance, by URL, that new links to pages of their own host lead to a page on the topic. `row`: of the page
    that shows them. A link is known by the title of pages that the host had before; while several pages of the host are
    missing, by their file name too. The mean of the pages of that name counts. Other links are left out."""
    if not links:
        return {}
    titles: defaultdict[str, list[float]] = defaultdict(list)
    files: defaultdict[str, list[float]] = defaultdict(list)
    for url, title, on_topic, nearness in _PAGES.rows(connection, topic=topic_id, row=row):
        chance = min(1.0, nearness) if on_topic else 0.0
        titles[title.strip()].append(chance)
        files[_file(url)].append(chance)
    titles[""], files[""] = [], []  # no name
    if len(_misses(connection, topic_id, row, now)) < SEVERAL:
        files.clear()
    named = {link.url: titles.get(link.anchor.strip()) or files.get(_file(link.url)) for link in links}
    return {url: fmean(chances) for url, chances in named.items() if chances}


def _file(url: str) -> str:
    """What an address ends in."""
    return urlsplit(url).path.removesuffix("index.html").rstrip("/").rpartition("/")[2]


def _misses(connection: Connection, topic_id: int, row: int, now: float) -> Sequence[tuple[float]]:
    return _MISSES.rows(connection, topic=topic_id, row=row, since=now - LATELY * DAY)


def _has_moved(connection: Connection, topic_id: int, pair: Candidate, now: float) -> bool:
    if pair.gone_at is not None:
        return True
    if domain(host(pair.old)) != domain(host(pair.new)):
        return False
    if pair.missing:
        return True
    if not pair.is_word_for_word or netloc(pair.old) != netloc(pair.new):
        return False
    misses = _misses(connection, topic_id, pair.old_row, now)
    return len(misses) >= SEVERAL and pair.visited_at < misses[0][0]


def _is_stale(pair: Candidate, now: float) -> bool:
    return now - pair.visited_at >= ASK_AFTER * DAY and domain(host(pair.old)) == domain(host(pair.new))


def _move(connection: Connection, pair: Candidate, now: float) -> None:
    _LEAVE.run(connection, [(pair.page,), (pair.repeated,)])
    here = (pair.page, pair.new, pair.old, now, None, pair.new_file, pair.new_offset)
    there = (pair.repeated, pair.old, None, None, pair.gone_at or now, pair.old_file, pair.old_offset)
    _SETTLE.run(connection, [here, there])
    kept = (pair.new_row, pair.page, Outcome.KEPT.value, None, stored(NONE))
    left = (pair.old_row, pair.repeated, Outcome.DUPLICATE.value, pair.page, stored(Reason(Code.MOVED)))
    _JUDGE.run(connection, [kept, left])
