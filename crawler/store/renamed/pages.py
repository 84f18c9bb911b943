"""Kept pages whose site has renamed them: the page gets its new address and today's text, and keeps its versions and
history.

A page has moved when a duplicate of it is there, on its own registered domain, and its own address is not: it was
missing at its last visit (404, 410, or a redirect), or it counts as gone. On other domains anybody may copy it. A site
renames many pages at once. So when several pages of a host are missing, another one that was not visited since has
moved as soon as its text is found at another address of the host.

Until then a new link by the name of a page that the host had before is expected to lead to that page.

The rows of the two pages exchange their addresses, and their judgements the pages: what refers to the kept page (its
versions, bands and duplicates) stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from crawler.clock import DAY
from crawler.database.statements import Many, Query, chunks
from crawler.frontier.new_urls import netloc
from crawler.reader.html.urls import domain, host
from crawler.reasons import NONE, Code, Reason, read, stored
from crawler.records import Link, Outcome, UrlState
from crawler.store.duplicates import digest
from crawler.store.fetch_log import FetchLog, Settled
from crawler.store.renamed.departures import IN_VAIN, MISSING, Departures, file_name, is_missing
from crawler.store.revisits import worth_of_new
from crawler.store.visits import Revisited

# Days without a visit after which the old address of a page that is found at another one is asked again.
ASK_AFTER = 1.0
MOST_NAMED = 10_000  # pages of a host whose names are compared with those of new links, those found last
FIRST = 1e6  # score of the new address of a kept page whose host is moving: above all other scores

_PAIRS = f"""
SELECT jo.url_id, jn.url_id, p.id, q.id, p.url, q.url, p.title, q.title, p.warc_file, p.warc_offset, q.warc_file,
    q.warc_offset, p.gone_at, vo.missing, vo.visited_at, jn.reason, jo.nearness
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
# Pages of a host that nobody has visited.
_WAITING = Query(f"""
SELECT u.id, u.url FROM urls u
WHERE u.topic_id = :topic AND u.host_id = (SELECT host_id FROM urls WHERE id = :row) AND u.index_kind IS NULL
  AND u.state = {UrlState.WAITING:d} AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.url_id = u.id)
ORDER BY u.id DESC LIMIT {MOST_NAMED}
""")
_NEWS = Query(f"""
SELECT u.id FROM urls u
WHERE u.topic_id = :topic AND u.host_id = (SELECT host_id FROM urls WHERE id = :row) AND u.pinned
  AND u.state = {UrlState.WAITING:d} AND u.further_of IS NULL
  AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.url_id = u.id)
""")
_PAGES = Query(f"""
SELECT u.url, p.title, j.on_topic, j.nearness FROM urls u JOIN judgements j ON j.url_id = u.id
JOIN pages p ON p.id = j.page_id
WHERE u.topic_id = :topic AND u.host_id = (SELECT host_id FROM urls WHERE id = :row)
ORDER BY u.id DESC LIMIT {MOST_NAMED}
""")
_UNSEE = Many(  # the next answer is a page, not 304
    "UPDATE visits SET etag = NULL, last_modified = NULL, content = NULL FROM new WHERE visits.url_id = new.id",
    id="integer",
)
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
    old_title: str
    new_title: str
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

    @property
    def is_one_page(self) -> bool:
        """Whether they are surely one page, and not two that resemble each other."""
        is_named = self.old_title.strip() == self.new_title.strip() or file_name(self.old) == file_name(self.new)
        return self.is_word_for_word or (is_named and netloc(self.old) == netloc(self.new))


def settle(
    connection: Connection,
    topic_id: int,
    settled: Sequence[Settled],
    departures: Departures,
    revisited: Revisited,
    log: FetchLog,
) -> dict[int, float]:
    """Moves the pages that have moved, after the visits of a commit were stored. Returns the scores of URLs that are to
    be visited soon, by row: old addresses, whether they are still there; new ones, for today's text where it is not at
    hand; and what waits of a host that is moving, before everything."""
    now = max(item.visit.fetched_at for item in settled)
    repeats = {item.visit.claim.id: item for item in settled if item.outcome is Outcome.DUPLICATE}
    missing = [item.visit.claim.id for item in settled if is_missing(item.visit)]
    soon: dict[int, float] = {}
    texts: dict[int, Settled] = {}  # by page: what was just read at its new address
    hosts: dict[str, Candidate] = {}  # from which a page has moved
    done: set[int] = set()  # one of several duplicates is enough
    for query, rows in ((_OF_DUPLICATES, list(repeats)), (_OF_MISSING, missing)):
        for chunk in chunks(rows):
            for pair in map(Candidate._make, query.rows(connection, topic=topic_id, rows=chunk)):
                is_one_site = domain(host(pair.old)) == domain(host(pair.new))  # others may copy what is gone
                if done & {pair.page, pair.repeated} or not is_one_site:
                    continue
                if _has_moved(pair, departures, now):
                    _move(connection, pair, now)
                    departures.found(pair.old_row, pair.old)
                    hosts[netloc(pair.old)] = pair
                    done |= {pair.page, pair.repeated}
                    if (item := repeats.get(pair.new_row)) and item.judged:
                        own = digest(item.judged.extraction.body)
                        texts[pair.page] = replace(item, outcome=Outcome.KEPT, digest=own)
                    else:
                        _UNSEE.run(connection, [(pair.new_row,)])
                        soon[pair.new_row] = worth_of_new(min(1.0, pair.nearness))
                elif pair.is_one_page and now - pair.visited_at >= ASK_AFTER * DAY:
                    soon[pair.old_row] = worth_of_new(min(1.0, pair.nearness))
    for name, pair in hosts.items():
        if departures.is_moving(name, now):
            soon |= _hastened(connection, topic_id, pair.old_row, urlsplit(pair.new).scheme)
    soon |= _in_vain(connection, topic_id, settled, departures)
    revisited.keep_moved(texts)
    log.take_over(connection, texts)
    return soon


def _in_vain(
    connection: Connection, topic_id: int, settled: Sequence[Settled], departures: Departures
) -> dict[int, float]:
    """The scores, by row, of the new links of hosts whose new links lead nowhere: they come last."""
    last: dict[int, float] = {}
    for claim, status in ((item.visit.claim, item.visit.status) for item in settled):
        if claim.seen is None and claim.score >= worth_of_new(0.0):
            home = netloc(claim.url)
            departures.vain[home] = departures.vain[home] + 1 if status in MISSING else 0
            if departures.vain[home] == IN_VAIN:
                last |= {row: 0.0 for (row,) in _NEWS.rows(connection, topic=topic_id, row=claim.id)}
    return last


def expected(connection: Connection, topic_id: int, row: int, links: Sequence[Link], by_file: bool) -> dict[str, float]:
    """The chance, by URL, that links to pages of their own host that nobody has fetched lead to a page on the topic.
    `row`: of a URL of that host. A link is known by the title of pages that the host had before; `by_file`: by their
    file name too. The mean of the pages of that name counts. Other links are left out, and known addresses in another
    scheme."""
    if not links:
        return {}
    titles: defaultdict[str, list[float]] = defaultdict(list)
    files: defaultdict[str, list[float]] = defaultdict(list)
    known = set()
    for url, title, on_topic, nearness in _PAGES.rows(connection, topic=topic_id, row=row):
        chance = min(1.0, nearness) if on_topic else 0.0
        known.add(url.partition(":")[2])
        titles[title.strip()].append(chance)
        files[file_name(url)].append(chance)
    titles[""], files[""] = [], []  # no name
    if not by_file:
        files.clear()
    named = {link.url: titles.get(link.anchor.strip()) or files.get(file_name(link.url)) for link in links}
    return {url: fmean(chances) for url, chances in named.items() if chances and url.partition(":")[2] not in known}


def _hastened(connection: Connection, topic_id: int, row: int, scheme: str) -> dict[int, float]:
    """The scores of URLs of a moving host that wait already and have the file name of a page on the topic. `row`: of a
    URL of that host; `scheme`: of the addresses to which its pages have moved."""
    found = _WAITING.rows(connection, topic=topic_id, row=row)
    waiting = {url: row_id for row_id, url in found if url.startswith(f"{scheme}:")}
    named = expected(connection, topic_id, row, [Link(url) for url in waiting], by_file=True)
    return {waiting[url]: FIRST + chance for url, chance in named.items() if chance}


def _has_moved(pair: Candidate, departures: Departures, now: float) -> bool:
    if pair.gone_at is not None or pair.missing:
        return True
    home = netloc(pair.old)
    if not pair.is_one_page or home != netloc(pair.new) or not departures.is_moving(home, now):
        return False
    since = departures.since(home, now)
    return since is not None and pair.visited_at < since


def _move(connection: Connection, pair: Candidate, now: float) -> None:
    _LEAVE.run(connection, [(pair.page,), (pair.repeated,)])
    here = (pair.page, pair.new, pair.old, now, None, pair.new_file, pair.new_offset)
    there = (pair.repeated, pair.old, None, None, pair.gone_at or now, pair.old_file, pair.old_offset)
    _SETTLE.run(connection, [here, there])
    kept = (pair.new_row, pair.page, Outcome.KEPT.value, None, stored(NONE))
    left = (pair.old_row, pair.repeated, Outcome.DUPLICATE.value, pair.page, stored(Reason(Code.MOVED)))
    _JUDGE.run(connection, [kept, left])
