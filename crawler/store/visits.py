"""What is remembered of the visits to each URL, older texts of pages, and the end of pages that are gone.

Bytes of a page change with every deployment of its site, its text hardly ever: a page whose body is the same is the
same version, and only another body is a change. The counts fade, so that what a URL did lately tells more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log
from typing import NamedTuple

from sqlalchemy import Connection, delete, select

from crawler.clock import DAY
from crawler.database.schema import judgements, versions, visits
from crawler.database.statements import Many, Query, chunks, types_of
from crawler.reader.html.declared import FOR_MINING
from crawler.reasons import Code, Reason, stored
from crawler.records import Outcome, Visit, refusal
from crawler.store.changes import Change, change, texts_around
from crawler.store.compression import reader
from crawler.store.fetch_log import STORED, Settled
from crawler.store.renamed.departures import GONE_DAYS, MISSING, Departures, is_missing
from crawler.store.revisits import worth_of_new

HALF_LIFE = 90.0  # days after which what was counted counts half; own choice: blogs sleep and wake by seasons
GONE_AFTER = 3  # answers 404 or 410 in a row, or visits in a row that find a kept page off topic, over GONE_DAYS
SAME = (Code.SAME_TEXT, Code.SAME_BUT_AROUND)
POST = 0.1  # least chance of a post: where they had no text, 14 such new links led to posts, 4 to lists; others 5, 570


class Remembered(NamedTuple):
    """A row of `visits`, in the order of its columns; schema.py says what they mean."""

    url_id: int
    first_at: float
    visited_at: float
    etag: str | None
    last_modified: str | None
    content: bytes | None
    content_at: float
    digest: bytes | None
    visits: int = 1
    watched: float = 0.0
    found: float = 0.0
    changed: float = 0.0
    told_at: float | None = None
    told: bool = False
    heeded: int = 0
    proved: int = 0
    expires_at: float | None = None
    missing: int = 0
    missing_since: float | None = None
    strayed: int = 0
    strayed_since: float | None = None


COLUMNS = Remembered._fields
_BEFORE = Query(f"SELECT {', '.join(COLUMNS)} FROM visits WHERE url_id IN :rows")
_ADD = Many.into(visits, *COLUMNS)
_UPDATE = Many.update(visits, *COLUMNS)
# A page that is kept for the first time was found through the page that first linked to it. This counts only where it
# was found by a later visit, and is pinned therefore: what a first visit opens says nothing of the next one. Further
# pages (FURTHER_PAGES) are pinned at a first visit.
_FINDERS = Query(
    "SELECT via, count(*) FROM urls"
    " WHERE id IN :rows AND pinned AND further_of IS NULL AND via IS NOT NULL GROUP BY via"
)
_CREDIT = Many(
    "UPDATE visits SET found = found + new.pages FROM new WHERE visits.url_id = new.id", id="integer", pages="integer"
)
_TELL = Many(
    "UPDATE visits SET told = (told OR COALESCE(visits.told_at < new.told_at, FALSE)), told_at = new.told_at FROM new"
    " WHERE visits.url_id = (SELECT u.id FROM urls u WHERE u.topic_id = new.topic AND u.url = new.url)"
    " AND (visits.told_at IS NULL OR visits.told_at < new.told_at)",
    topic="integer",
    url="text",
    told_at="double precision",
)
_TEXTS = Query(
    "SELECT url, moved_at IS NOT NULL, reader, id, title, body, digest, fetched_at FROM pages"
    " WHERE url IN :addresses AND digest IS NOT NULL"
)
_TEXT = Query("SELECT id, title, body, digest, fetched_at FROM pages WHERE id = :page AND digest IS NOT NULL")
_FORMER = Query("SELECT id, body FROM versions WHERE page_id = :page")
_KEPT = Query(f"SELECT url_id FROM judgements WHERE url_id IN :rows AND outcome = '{Outcome.KEPT.value}'")
_TEXTLESS = Query(
    "SELECT count(*) FROM visits v JOIN urls u ON u.id = v.url_id WHERE u.topic_id = :topic"
    " AND v.strayed_since = v.first_at AND v.first_at BETWEEN :since AND :until"
)
_DROP = Many.update(judgements, "url_id", "reason", also=f"outcome = '{Outcome.OFF_TOPIC.value}'")
_WITHDRAW = Many(  # of all topics: a publisher speaks to all of them
    f"UPDATE judgements SET outcome = '{Outcome.OFF_TOPIC.value}', reason = new.reason FROM new WHERE outcome ="
    f" '{Outcome.KEPT.value}' AND page_id = (SELECT j.page_id FROM judgements j WHERE j.url_id = new.url_id)",
    **types_of(judgements, "url_id", "reason"),
)
_ADD_VERSIONS = Many.into(versions, "page_id", "title", "body", "digest", "fetched_at", "until")
_READ = Many("UPDATE pages SET reader = new.reader FROM new WHERE pages.url = new.url", url="text", reader="text")
_RETIRE = Many(
    "UPDATE pages SET gone_at = new.at FROM new WHERE pages.url = new.url", url="text", at="double precision"
)
_RETURN = Many("UPDATE pages SET gone_at = NULL FROM new WHERE pages.url = new.url AND gone_at > 0", url="text")


class Text(NamedTuple):
    """What is stored of a page with a body."""

    page_id: int
    title: str
    body: bytes
    digest: bytes
    fetched_at: float


class Revisited:
    """The visits of one transaction, beside what was known of their URLs before it."""

    def __init__(
        self, connection: Connection, topic_id: int, history: int, batch: Sequence[Visit], departures: Departures
    ) -> None:
        """`history`: older texts of a page that stay."""
        self._departures = departures
        self._connection = connection
        self._topic = topic_id
        self._history = history
        self._rows: dict[int, Remembered] = {}
        self._texts: dict[str, Text] = {}
        self._readers: dict[str, str | None] = {}  # by which these were read
        self._moved: set[str] = set()  # of these addresses those to which their pages have come
        self._kept: set[int] = set()  # by this topic
        self._back: dict[int, int] = {}  # by URL: the older text that its page has again
        for chunk in chunks([visit.claim.id for visit in batch]):
            self._rows |= {row[0]: Remembered._make(row) for row in _BEFORE.rows(connection, rows=chunk)}
        for chunk in chunks(list(self._rows)):
            self._kept |= {row_id for (row_id,) in _KEPT.rows(connection, rows=chunk)}
        for some in chunks([visit.claim.url for visit in batch if visit.claim.id in self._rows]):
            for url, has_moved, self._readers[url], *text in _TEXTS.rows(connection, addresses=some):
                self._texts[url] = Text(*text)
                self._moved |= {url} if has_moved else set()

    def is_kept(self, visit: Visit) -> bool:
        """Whether the topic keeps the page already: it repeats no other one then, whatever it says now."""
        return visit.claim.id in self._kept

    def compared(self, settled: Sequence[Settled]) -> list[Settled]:
        """How the visits end when they are held against the last ones."""
        kept = Counter(item.digest for item in settled if self._is_read_again(item))
        return [self._compared(item, kept[item.digest] > 1) for item in settled]

    def _is_read_again(self, item: Settled) -> bool:
        return item.outcome is Outcome.KEPT and not item.late and self.is_kept(item.visit)

    def _compared(self, item: Settled, is_shared: bool) -> Settled:
        """`is_shared`: another kept page is found with the same text at the same time."""
        visit = item.visit
        row = self._rows.get(visit.claim.id)
        if row is None or item.late:
            return item
        misses = visit.status in MISSING or (is_missing(visit) and self.is_kept(visit))
        if misses and _is_over(_missed(row, visit), visit.fetched_at):
            return replace(item, outcome=Outcome.GONE, reason=Reason(Code.GONE, gone_after=GONE_AFTER))
        if misses and self._departures.have_left(self._connection, row.url_id, visit, row.visited_at, row.missing):
            return replace(item, outcome=Outcome.GONE, reason=Reason(Code.LEFT_WITH_OTHERS))
        if self.is_kept(visit) and (says := _refused(visit)) and (says & FOR_MINING or self._is_itself(item)):
            return replace(item, outcome=Outcome.DROPPED, reason=refusal(says))
        if self.is_kept(visit) and _is_over(_strayed(row, item), visit.fetched_at):
            return replace(item, outcome=Outcome.DROPPED, reason=Reason(Code.LEFT_TOPIC))
        text = self._texts.get(visit.claim.url)
        if text is None or not self._is_read_again(item):
            return item
        return self._against(item, text, is_shared, row.content is None and visit.claim.url in self._moved)

    def _is_itself(self, item: Settled) -> bool:
        """Whether its stored text is there. A notice in its place, which nobody is to index, says nothing of it."""
        text = self._texts.get(item.visit.claim.url) if item.visit.analysis else None
        return text is None or all(map(self._is_same, self._changes(item, [text.body])))

    def _against(self, item: Settled, text: Text, is_shared: bool, is_unseen: bool) -> Settled:
        """A kept page that was read again, beside the text that is stored. `is_unseen`: whether that is of its former
        address (store.renamed)."""
        visit = item.visit
        if text.digest == item.digest:
            return replace(item, outcome=Outcome.UNCHANGED, reason=Reason(Code.SAME_TEXT))
        notice = replace(item, outcome=Outcome.UNCHANGED, reason=Reason(Code.NOTICE), digest=text.digest)
        if is_shared:
            return notice
        former = _FORMER.rows(self._connection, page=text.page_id)
        found, *others = self._changes(item, [text.body, *(body for _, body in former)])
        unchanged = replace(item, outcome=Outcome.UNCHANGED)
        if self._is_same(found) and not is_unseen:
            return replace(unchanged, reason=Reason(Code.SAME_BUT_AROUND), digest=text.digest)
        if found.is_others and not self._is_same(found):
            return notice
        # A page at its new address is moved, and not changed too: its site is rendered anew. What another program took
        # of a page that was not stored cannot be told from an edit.
        if is_unseen or self._is_read_otherwise(visit):
            return replace(unchanged, reason=Reason(Code.RENEWED))
        back = [row_id for (row_id, _), each in zip(former, others, strict=True) if self._is_same(each)]
        if back:
            self._back[visit.claim.id] = back[-1]
            return replace(unchanged, reason=Reason(Code.FORMER_TEXT))
        return replace(item, outcome=Outcome.CHANGED)

    def _is_read_otherwise(self, visit: Visit) -> bool:
        return visit.analysis is not None and visit.analysis.reader != (self._readers[visit.claim.url] or "")

    def _changes(self, item: Settled, bodies: Iterable[bytes]) -> list[Change]:
        """What of each packed body is another one in the text of the visit."""
        codec = reader(self._connection)
        around = texts_around(self._connection, self._topic, item.visit.claim.id)
        assert item.visit.analysis is not None  # else it would not be kept
        now, shown = item.visit.analysis.extraction.body, item.visit.analysis.shown
        return [change(codec.unpack_text(body), now, around, shown) for body in bodies]

    def _is_same(self, found: Change) -> bool:
        return not found.share or found.is_line

    def remember(self, settled: Sequence[Settled]) -> None:
        """Notes the visits, after compared() and before anything else of them is stored."""
        new, known = [], []
        for item in settled:
            row = self._rows.get(item.visit.claim.id)
            if item.outcome is Outcome.RETRY or not item.visit.fetched:
                continue
            if row is not None:
                known.append(after(row, item, self.is_kept(item.visit)))
            elif item.visit.status == 200 and item.judged is not None and not item.late:
                new.append(first(item))
        _ADD.run(self._connection, new)
        _UPDATE.run(self._connection, known)
        kept = [item.visit.claim.id for item in settled if item.outcome is Outcome.KEPT and item.visit.fetched]
        _CREDIT.run(self._connection, _FINDERS.rows(self._connection, rows=kept) if kept else [])
        same = [i.visit for i in settled if i.reason.code in SAME and self._is_read_otherwise(i.visit)]
        _READ.run(self._connection, [(each.claim.url, each.analysis.reader) for each in same if each.analysis])
        self._keep_old(settled)
        self._end(settled)
        self._hear(settled)

    def _keep_old(self, settled: Sequence[Settled]) -> None:
        """The texts that are about to be replaced. One that is back leaves the older ones, so that a page that has two
        texts in turn keeps its others. What a page says between two changes that are told is not kept."""
        for item in settled:
            old = self._texts.get(item.visit.claim.url)
            if old is None or not item.visit.fetched or old.digest == item.digest:
                continue
            back = self._back.get(item.visit.claim.id)
            if back is not None:
                self._connection.execute(delete(versions).where(versions.c.id == back))
            if back is not None or item.outcome in STORED or item.reason.code is Code.RENEWED:
                self._add_version(old, item.visit.fetched_at)

    def keep_moved(self, texts: Mapping[int, Settled]) -> None:
        """The texts of pages that have moved, by row, before those of their new addresses are stored."""
        for page, item in texts.items():
            for old in map(Text._make, _TEXT.rows(self._connection, page=page)):
                if not all(map(self._is_same, self._changes(item, [old.body]))):
                    self._add_version(old, item.visit.fetched_at)

    def _add_version(self, old: Text, until: float) -> None:
        _ADD_VERSIONS.run(self._connection, [(*old, until)])
        page = versions.c.page_id == old.page_id
        newest = select(versions.c.id).where(page).order_by(versions.c.id.desc()).limit(self._history)
        self._connection.execute(delete(versions).where(page, versions.c.id.not_in(newest)))

    def _end(self, settled: Sequence[Settled]) -> None:
        gone = [item.visit for item in settled if item.outcome is Outcome.GONE and item.visit.claim.id in self._rows]
        since = [(visit.claim.url, _missed(self._rows[visit.claim.id], visit)[1]) for visit in gone]
        _RETIRE.run(self._connection, since)
        dropped = [item for item in settled if item.outcome is Outcome.DROPPED]
        for drop, is_withdrawn in ((_DROP, False), (_WITHDRAW, True)):
            some = [item for item in dropped if (item.reason.code is Code.FORBIDDEN_TO_KEEP) is is_withdrawn]
            drop.run(self._connection, [(item.visit.claim.id, stored(item.reason)) for item in some])
        there = {item.visit.claim.url for item in settled if _is_there(item.visit)}
        _RETURN.run(self._connection, [(url,) for url in there & self._texts.keys()])

    def _hear(self, settled: Sequence[Settled]) -> None:
        """What index files tell of the last changes of pages."""
        told: dict[str, float] = {}
        for item in settled:
            for outlink in item.judged.outlinks if item.judged and item.visit.claim.index_kind else ():
                if outlink.link.updated is not None:
                    told[outlink.link.url] = max(outlink.link.updated, told.get(outlink.link.url, outlink.link.updated))
        _TELL.run(self._connection, [(self._topic, url, at) for url, at in told.items()])


def first(item: Settled) -> Remembered:
    """What is remembered of the first visit to a URL. A new post without a text yet is asked again soon, like one that
    was kept and has strayed: of 33 recorded ones 12 had a text later, 9 within a fortnight."""
    visit, seen = item.visit, item.visit.seen
    said = (seen.etag or None, seen.last_modified or None, seen.content or None, visit.fetched_at, item.digest)
    row = Remembered(visit.claim.id, visit.fetched_at, visit.fetched_at, *said, expires_at=seen.expires_at)
    is_post = worth_of_new(POST) <= visit.claim.score <= worth_of_new(1.0) and not visit.claim.index_kind
    if is_post and item.judged is not None and not item.judged.extraction.body:
        return row._replace(strayed=1, strayed_since=visit.fetched_at)
    return row


def count_textless(connection: Connection, topic_id: int, since: float, until: float) -> int:
    """Likely posts that were first visited in that time and had no text, then or since."""
    return int(_TEXTLESS.value(connection, topic=topic_id, since=since, until=until))


def after(before: Remembered, item: Settled, is_kept: bool) -> Remembered:
    """What is remembered of a URL after one visit more. A clock that was set back counts as one that stood still."""
    visit, seen = item.visit, item.visit.seen
    days = max(0.0, visit.fetched_at - before.visited_at) / DAY
    faded = 0.5 ** (days / HALF_LIFE)
    is_back = item.reason.code in (Code.FORMER_TEXT, Code.RENEWED)
    changed = not is_back and item.digest is not None and before.digest is not None and item.digest != before.digest
    missing, since = _missed(before, visit) if is_kept or visit.outcome is not Outcome.REDIRECT else (0, None)
    strayed, strayed_since = _strayed(before, item) if is_kept or before.strayed else (0, None)
    row = before._replace(
        visited_at=visit.fetched_at,
        visits=before.visits + 1,
        watched=before.watched * faded + (1.0 - faded) * HALF_LIFE / log(2),  # the integral of what fades
        found=before.found * faded,
        changed=before.changed * faded + changed,
        told=False,
        heeded=before.heeded + bool(before.told),
        proved=before.proved + (bool(before.told) and changed),
        expires_at=seen.expires_at,
        missing=missing,
        missing_since=since,
        strayed=strayed,
        strayed_since=strayed_since,
    )
    if visit.status == 200:
        same = bool(seen.content) and seen.content == before.content
        row = row._replace(
            content_at=before.content_at if same else visit.fetched_at,
            etag=seen.etag or None,
            last_modified=seen.last_modified or None,
            content=seen.content or None,
            digest=item.digest or before.digest,
        )
    if strayed and _refused(visit):  # may it be kept again, it must be read again
        return row._replace(etag=None, last_modified=None, content=None)
    return row


def _is_over(missed: tuple[int, float | None], now: float) -> bool:
    times, since = missed
    return times >= GONE_AFTER and since is not None and now - since >= GONE_DAYS * DAY


def _missed(before: Remembered, visit: Visit) -> tuple[int, float | None]:
    """How often in a row the URL was missing, and since when."""
    if is_missing(visit):
        return before.missing + 1, visit.fetched_at if before.missing_since is None else before.missing_since
    return (0, None) if _is_there(visit) else (before.missing, before.missing_since)


def _strayed(before: Remembered, item: Settled) -> tuple[int, float | None]:
    """How many visits in a row found the page off topic, and since when. The same bytes once more are what they were
    before."""
    visit = item.visit
    if visit.outcome is Outcome.OFF_TOPIC or (visit.outcome is Outcome.UNCHANGED and (before.strayed or visit.forbids)):
        return before.strayed + 1, visit.fetched_at if before.strayed_since is None else before.strayed_since
    return (0, None) if visit.outcome is Outcome.KEPT else (before.strayed, before.strayed_since)


def _refused(visit: Visit) -> frozenset[str]:
    """Why its publisher lets nobody keep it. What is as it was is not analysed; its headers and its site speak."""
    if visit.outcome is Outcome.UNCHANGED:
        return visit.forbids - {"nofollow"}
    return visit.analysis.refused if visit.analysis else frozenset()


def _is_there(visit: Visit) -> bool:
    return visit.status in (200, 304) and visit.outcome is not Outcome.REDIRECT
