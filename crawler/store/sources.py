"""What was visited for a topic, with what decides about another visit."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from crawler.clock import DAY
from crawler.database.statements import Query
from crawler.records import Outcome, PageKind

HOME, LIST, POST = "home", "list", "post"
ON_TIME = 0.95  # of an interval: runs do not begin on the second
PAGE_SIZE = 100_000  # bytes of a page: what an index file has more of costs as many visits; own estimate
MOST_DOUBLED = 8  # times that an interval is doubled

_SOURCES = Query("""
SELECT v.url_id, u.url, COALESCE(u.index_kind, ''), v.visited_at, v.visits, v.content_at, v.watched,
    v.found, v.changed, v.told, v.heeded, v.proved, v.expires_at, v.missing, v.missing_since, p.moved_at, p.kind,
    j.outcome, CASE WHEN j.nearness IS NULL THEN 0 WHEN j.nearness < 1 THEN j.nearness ELSE 1 END, v.strayed, u.via
FROM visits v JOIN urls u ON u.id = v.url_id LEFT JOIN judgements j ON j.url_id = v.url_id
LEFT JOIN pages p ON p.id = j.page_id
WHERE u.topic_id = :topic AND p.gone_at IS NULL
""")
_SIZES = Query("""
SELECT f.url_id, max(f.size) FROM fetches f JOIN urls u ON u.id = f.url_id
WHERE f.topic_id = :topic AND f.status = 200 AND u.index_kind IS NOT NULL GROUP BY f.url_id
""")


class Source(NamedTuple):
    """What decides about a visit of one URL."""

    url_id: int
    url: str
    index_kind: str  # discovery.index_files.Kind; "": a page
    visited_at: float  # seconds since the epoch, as all times
    visits: int
    content_at: float  # when its bytes were first seen as they are
    watched: float  # days
    found: float
    changed: float
    told: bool
    heeded: int
    proved: int
    expires_at: float | None
    missing: int
    missing_since: float | None
    moved_at: float | None  # when its page was found to have come to this address
    kind: str | None  # records.PageKind
    outcome: str | None  # of its judgement
    similarity: float
    strayed: int = 0  # visits in a row that found it off topic, of a page that is or was kept
    via: int | None = None  # the row of the page that first linked to it
    size: int = 0  # bytes of an index file, the largest that it had; of a page not asked

    @property
    def cost(self) -> float:
        """The cost of a visit, as a multiple of the visit of a page."""
        return 1.0 + self.size / PAGE_SIZE

    @property
    def is_kept(self) -> bool:
        return self.outcome == Outcome.KEPT

    def may_show(self, now: float, is_moving: bool) -> bool:
        """Whether a visit may show new pages. A list or index file that was missing is asked again after a day, two,
        four and so on, and each day while its host is moving: deployments take minutes, moves days."""
        if not self.missing or self.is_kept:
            return not self.missing
        days = 1.0 if is_moving else 2.0 ** min(self.missing - 1, MOST_DOUBLED)
        return now - self.visited_at >= ON_TIME * days * DAY

    @property
    def role(self) -> str:
        """What kind of source it is: a key of SHOWN."""
        if self.index_kind:
            return self.index_kind
        if urlsplit(self.url).path in ("", "/"):
            return HOME
        kind = PageKind(self.kind) if self.kind else PageKind.OTHER
        return POST if self.is_kept or kind in (PageKind.ARTICLE, PageKind.THREAD, PageKind.PRODUCT) else LIST


def sources(connection: Connection, topic_id: int) -> list[Source]:
    """All that was visited for the topic and may be visited again."""
    sizes = dict(_SIZES.rows(connection, topic=topic_id))
    return [Source._make((*row, sizes.get(row[0], 0))) for row in _SOURCES.rows(connection, topic=topic_id)]
