"""Which hosts are moving: several of their pages are missing at their addresses.

A site renames or removes many pages at once; one page alone tells nothing of the others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from sqlalchemy import Connection

from crawler.clock import DAY
from crawler.database.statements import Query
from crawler.frontier.new_urls import netloc
from crawler.reasons import Code
from crawler.records import Outcome, Visit

SEVERAL = 2  # pages of a host that are missing: the host has renamed its pages, or lost them
LATELY = 60.0  # days for which such a miss tells of the others
MOST_LEFT = 0.5  # share of a host's pages that were asked since, from which on its pages are expected to have left
GONE_DAYS = 7.0  # days from the first miss to the last: sites break, show one notice everywhere, and are mended
# New links in a row that lead nowhere: one site took its new addresses back, and 185 requests in a week found none.
IN_VAIN = 5
MISSING = frozenset({404, 410})
_ENDING = re.compile(r"\.(?:html?|php|aspx?|jsp)$")

_MISSING = Query(f"""
SELECT v.url_id, u.url, v.missing_since, COALESCE(j.reason = '{Code.MOVED}', FALSE)
FROM visits v JOIN urls u ON u.id = v.url_id LEFT JOIN judgements j ON j.url_id = v.url_id
WHERE u.topic_id = :topic AND v.missing > 0 AND v.missing_since >= :since
""")
# Of the pages of a host that were known before and asked since: how many, and how many of them are missing for long.
_ASKED = Query("""
SELECT count(*), count(*) FILTER (WHERE v.missing > 0 AND v.missing_since <= :until)
FROM visits v JOIN urls u ON u.id = v.url_id
WHERE u.topic_id = :topic AND u.host_id = (SELECT host_id FROM urls WHERE id = :row) AND u.index_kind IS NULL
  AND v.first_at < :since AND v.visited_at >= :since
""")


def is_missing(visit: Visit) -> bool:
    """Whether a page that was kept is not at its address now; a redirect leads to where it may be."""
    return visit.status in MISSING or visit.outcome is Outcome.REDIRECT


def file_name(url: str) -> str:
    """What an address ends in, without the ending of a file."""
    path = urlsplit(url).path.removesuffix("index.html").rstrip("/")
    return _ENDING.sub("", path.rpartition("/")[2])


class Departures:
    """The hosts of one topic whose pages leave, in memory: read once, and updated by each commit."""

    def __init__(self, topic_id: int) -> None:
        self._topic = topic_id
        self._hosts: defaultdict[str, dict[int, float]] | None = None  # since when, by host and row
        self.vain: Counter[str] = Counter()  # new links that led nowhere, in a row, by host
        self._moved: dict[int, str] = {}  # of these rows those whose pages were found elsewhere, with their file names

    def reset(self) -> None:
        """To be called after a rollback, and when others may have committed: it is read again."""
        self._hosts = None
        self.vain.clear()

    def note(self, connection: Connection, visits: Sequence[Visit]) -> None:
        """Notes which pages are missing, before a commit stores the visits."""
        now = max(visit.fetched_at for visit in visits)
        if self._hosts is None:
            self._hosts, self._moved = defaultdict(dict), {}
            for row, url, since, has_moved in _MISSING.rows(connection, topic=self._topic, since=now - LATELY * DAY):
                self._hosts[netloc(url)][row] = since
                if has_moved:
                    self.found(row, url)
        for visit in visits:
            host = netloc(visit.claim.url)
            if visit.claim.seen is not None and is_missing(visit):
                self._hosts[host].setdefault(visit.claim.id, visit.fetched_at)
            elif host in self._hosts and visit.status in (200, 304):
                self._hosts[host].pop(visit.claim.id, None)

    def since(self, host: str, now: float) -> float | None:
        """Since when several pages of the host are missing, of those that left lately; None where they are not."""
        times = sorted(at for at in self._known(host).values() if now - at < LATELY * DAY)
        return times[SEVERAL - 1] if len(times) >= SEVERAL else None

    def found(self, row: int, url: str) -> None:
        """The page of this row, which is missing at this URL, was found at another one."""
        self._moved[row] = file_name(url)

    def is_moving(self, host: str, now: float) -> bool:
        """Whether several of the missing pages were found at other addresses, by their file names: one page may have
        had several addresses. Pages that were removed tell of no move, nor do names that lead nowhere."""
        names = {self._moved[row] for row in self._known(host) if row in self._moved}
        return len(names) >= SEVERAL and self.since(host, now) is not None and self.vain[host] < IN_VAIN

    def _known(self, host: str) -> Mapping[int, float]:
        return self._hosts.get(host, {}) if self._hosts else {}

    def have_left(self, connection: Connection, row: int, visit: Visit, visited_at: float, missed: int) -> bool:
        """Whether a page that is missing now has not been at its address since its host left its addresses: at least
        GONE_DAYS ago, and most pages with it. `visited_at`: the last time before; `missed`: the visits in a row in
        which it was missing then."""
        now, since = visit.fetched_at, self.since(netloc(visit.claim.url), visit.fetched_at)
        if since is None or now - since < GONE_DAYS * DAY or not (visited_at < since or missed):
            return False
        when = {"since": since, "until": now - GONE_DAYS * DAY}
        asked, missing = _ASKED.rows(connection, topic=self._topic, row=row, **when)[0]
        return bool(missing >= max(SEVERAL, MOST_LEFT * asked))
