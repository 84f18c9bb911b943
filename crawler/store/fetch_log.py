"""Visits as rows: the log of fetches, the pages, judgements and links that came of them, and which link scorer was at
work from which fetch on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from zlib import crc32

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select

from crawler.database.schema import fetches, judgements, links, pages, scorings
from crawler.database.statements import Many, Query, chunks, count, types_of
from crawler.document import FOUND, found_in
from crawler.frontier.new_urls import netloc
from crawler.reasons import Code, Reason, read, stored
from crawler.records import GIVEN_UP, Analysis, Claim, Ended, JudgedPage, Outcome, Visit
from crawler.store import duplicates
from crawler.store.compression import Codec, Packer, content_of, links_as_bytes

TOLD_APART = 0.05  # similarity: below it next to no page is on the topic
ONE_OF = 4  # dropped pages; chosen by their address, so that they are a sample


def keeps_text(url: str, found: Analysis) -> bool:
    """Whether a dropped page's text is stored, to ask people about, and to be kept after all when their answers say so:
    without any a topic could only be taught to keep less. One of ONE_OF posts that only their similarity keeps out."""
    is_near = found.judgement.similarity >= TOLD_APART
    return found.extraction.is_post and not found.refused and is_near and crc32(url.encode()) % ONE_OF == 0


REPLAY_BATCH = 200  # pages in memory while a link scorer is taught again
NEWEST = 2**31 - 1  # above every fetch's id


@dataclass(frozen=True, slots=True)
class Settled:
    """A visit, and how it ends after redirects and duplicates."""

    visit: Visit
    outcome: Outcome
    reason: Reason
    digest: bytes | None = None  # of the body of a page to keep, or of the kept page that it repeats
    judged: Analysis | None = None  # the analysis that is stored and learnt
    is_part: bool = False  # of a kept post: its text is stored, though it is dropped by itself (store.further_pages)
    late: bool = False  # the URL had been settled by another visit: logged, nothing else

    @property
    def counts(self) -> bool:
        """Whether PAGE_BUDGET counts it. Two workers have one URL after a server's crash forgot a claim that it had
        confirmed, or after a lease has run out: the second visit is a request, and no page."""
        return self.visit.counts_for_budget and not self.late

    @property
    def renews(self) -> bool:
        """Whether the text of an unchanged page takes the place of the stored one all the same."""
        return self.outcome is Outcome.UNCHANGED and self.reason in RENEWS

    @property
    def stores(self) -> bool:
        """Whether its text is stored."""
        return self.renews or self.outcome in STORED


@dataclass(frozen=True, slots=True)
class FetchLesson:
    """A fetch of the log, as a link scorer learns it."""

    fetch_id: int
    url_id: int
    counted: bool  # towards PAGE_BUDGET
    kept: int  # how many kept pages more there were: -1 when it was dropped
    news: JudgedPage | Ended | None  # None changes nothing


@dataclass(frozen=True, slots=True)
class Totals:
    """How far a topic has come, over its life."""

    fetched: int  # towards PAGE_BUDGET
    kept: int
    last: int  # the newest fetch's id, 0 before the first


class Scoring(NamedTuple):
    """A link scorer began to score a topic's URLs. Hardly ever are there two."""

    since: int  # the newest fetch when it began, 0 before the first
    at: float  # seconds since the epoch
    scorer: str  # scorers.registry


class JudgementRow(NamedTuple):
    """A row of `judgements`, in the order in which it is written."""

    url_id: int
    fetch_id: int
    topic_id: int
    page_id: int
    outcome: str
    duplicate_of: int | None  # the kept page that it repeats
    nearness: float
    text_relevance: float
    on_topic: bool
    reason: str


PAGE = (
    *["url", "body", "digest", "signature", "canonical", "status", "fetched_at", "reader", "warc_file", "warc_offset"],
    "gone_at",
    *FOUND,
)
_ADD_JUDGEMENTS = Many.into(judgements, *JudgementRow._fields)
_ADD_LINKS = Many.into(links, "url_id", "packed")
_ADD_FETCHES = Many.numbered(
    fetches, "topic_id", "url_id", "at", "outcome", "counted", "sent", "status", "seconds", "size", "reason", "run_id"
)
_KNOWN = Query("SELECT url, id, body IS NOT NULL FROM pages WHERE url IN :addresses")
_ADD_PAGES = Many.numbered(pages, *PAGE)
_SET = ", ".join(f"{name} = new.{name}" for name in PAGE if name not in ("consent", "reader"))
_REPLACE_PAGES = Many(  # one that is judged again keeps what its site said when it was fetched
    f"UPDATE pages SET {_SET}, consent = COALESCE(NULLIF(new.consent, ''), pages.consent),"
    " reader = COALESCE(new.reader, pages.reader) FROM new WHERE pages.id = new.id",
    **types_of(pages, "id", *PAGE),
)
_NEWER = Query("SELECT id FROM fetches WHERE topic_id = :topic AND id > :since LIMIT 1")
_COUNTED = Query("SELECT count(*) FROM fetches WHERE topic_id = :topic AND counted IS TRUE AND id > :since")
_NEWS = Query(f"""
SELECT count(*) FILTER (WHERE counted), count(*) FILTER (WHERE outcome = '{Outcome.KEPT}')
    - count(*) FILTER (WHERE outcome = '{Outcome.DROPPED}'), max(id)
FROM fetches WHERE topic_id = :topic AND id > :since
""")
_HISTORY = Query(f"""
SELECT f.id, f.url_id, f.counted, f.outcome, f.reason, u.url, u.depth, u.distance, u.index_kind, j.nearness,
    j.on_topic, j.text_relevance, l.packed
FROM fetches f JOIN urls u ON u.id = f.url_id
LEFT JOIN judgements j ON j.url_id = f.url_id AND j.fetch_id = f.id LEFT JOIN links l ON l.url_id = j.url_id
WHERE f.topic_id = :topic AND f.id > :since AND f.id <= :until ORDER BY f.id LIMIT {REPLAY_BATCH}
""")
_LOGGED = select(fetches.c.url_id, fetches.c.at, fetches.c.outcome).where(
    fetches.c.topic_id == bindparam("topic"), fetches.c.url_id.in_(bindparam("ids", expanding=True))
)
_JUDGED_BEFORE = Query("SELECT url_id, fetch_id, outcome FROM judgements WHERE url_id IN :rows")
_LINKS = Query("SELECT url_id, packed FROM links WHERE url_id IN :rows")
_REMOVE = [delete(table).where(table.c.url_id.in_(bindparam("rows", expanding=True))) for table in (judgements, links)]
STORED = (Outcome.KEPT, Outcome.CHANGED)  # with its body
# Of UNCHANGED pages, likewise; TOLD_OFTEN in harvests of before 0.4.
RENEWS = tuple(map(Reason, (Code.RENEWED, Code.FORMER_TEXT, Code.TOLD_OFTEN)))
# Visits of a kept page that have stored its text. A page that has moved was a duplicate when its new address was read.
HAS_STORED = or_(fetches.c.outcome.in_([*STORED, Outcome.DUPLICATE]), fetches.c.reason.in_(RENEWS))
UNJUDGED = (Outcome.REDIRECT, *GIVEN_UP)  # the URL is done with


class FetchLog:
    """The log of one topic. Every method works in the caller's transaction."""

    def __init__(self, topic_id: int) -> None:
        self._topic = topic_id
        self.run_id: int | None = None  # the run that new fetches belong to
        self._codec = Codec()
        self._packer = Packer(self._codec)

    def reset(self) -> None:
        """Forgets what it remembers of a transaction that has come to nothing."""
        self._packer.reset()

    def log(self, connection: Connection, settled: Sequence[Settled]) -> list[int]:
        """Adds the fetches to the log and returns their ids, in order."""
        return _ADD_FETCHES.run(connection, [self._fetch(item) for item in settled])

    def _fetch(self, item: Settled) -> tuple[object, ...]:
        """The row, in the order of _ADD_FETCHES."""
        visit = item.visit
        counts = (item.counts, visit.sent and visit.fetched)
        came = (visit.fetched_at, item.outcome.value, *counts, visit.status, visit.seconds, visit.size)
        return (self._topic, visit.claim.id, *came, stored(item.reason), self.run_id)

    def put(
        self, connection: Connection, settled: Sequence[Settled], fetch_ids: Sequence[int], firsts: dict[bytes, int]
    ) -> None:
        """Stores pages, judgements and links of the judged visits. `firsts`: the kept page of each digest known
        before. Of a URL that was judged before, the judgement is replaced and keeps its place in the log; but a page
        that was kept stays so, whatever is in its place now, until `visits` drops it."""
        before = self._judged_before(connection, settled)
        judged = [
            (item, item.judged, before.get(item.visit.claim.id, (fetch_id,))[0])
            for item, fetch_id in zip(settled, fetch_ids, strict=True)
            if item.judged and _replaces(item, before.get(item.visit.claim.id))
        ]
        if not judged:
            return
        self._remove([item.visit.claim.id for item, _, _ in judged if item.visit.claim.id in before], connection)
        self._reading(connection)
        self._packer.open(connection, {netloc(item.visit.claim.url) for item, _, _ in judged})
        ids = self._put_pages(connection, [(item, analysis) for item, analysis, _ in judged])
        kept = [(item, analysis) for item, analysis, _ in judged if item.stores]
        duplicates.remember(connection, [(ids[item.visit.claim.url], analysis.signature) for item, analysis in kept])
        firsts = {item.digest: ids[item.visit.claim.url] for item, _ in kept if item.digest is not None} | firsts
        rows = []
        for item, analysis, fetch_id in judged:
            first = firsts.get(item.digest) if item.digest and item.outcome is Outcome.DUPLICATE else None
            says = analysis.judgement
            rows.append(
                JudgementRow(
                    url_id=item.visit.claim.id,
                    fetch_id=fetch_id,
                    topic_id=self._topic,
                    page_id=ids[item.visit.claim.url],
                    outcome=(Outcome.KEPT if item.stores else item.outcome).value,
                    duplicate_of=first,
                    nearness=says.nearness,
                    text_relevance=says.text_relevance,
                    on_topic=says.on_topic,
                    reason=stored(item.visit.reason if item.renews else item.reason),
                )
            )
        _ADD_JUDGEMENTS.run(connection, rows)
        packed = [
            (item.visit.claim.id, self._outlinks(item, analysis, None if item.visit.claim.id in before else fetch_id))
            for item, analysis, fetch_id in judged
            if analysis.outlinks or analysis.post != 1.0 or analysis.subjects
        ]
        self._packer.close(connection)
        _ADD_LINKS.run(connection, packed)

    def _put_pages(self, connection: Connection, judged: Sequence[tuple[Settled, Analysis]]) -> dict[str, int]:
        """Stores the pages and returns their ids by URL. The newest fetch of a page is kept, but not one without a body
        over one with a body: another topic may have kept it."""
        known: dict[str, tuple[int, bool]] = {}
        for chunk in chunks([item.visit.claim.url for item, _ in judged]):
            rows = _KNOWN.rows(connection, addresses=chunk)
            known.update((url, (page_id, bool(full))) for url, page_id, full in rows)
        new: dict[str, tuple[object, ...]] = {}
        newer: dict[int, tuple[object, ...]] = {}
        for item, analysis in judged:
            url = item.visit.claim.url
            page_id, full = known.get(url, (None, False))
            if page_id is None:
                new[url] = self._page(item, analysis)
            elif item.stores or not full:
                newer[page_id] = self._page(item, analysis)
        self._replace(connection, newer)
        ids = dict(zip(new, _ADD_PAGES.run(connection, list(new.values())), strict=True))
        return ids | {url: page_id for url, (page_id, _) in known.items()}

    def take_over(self, connection: Connection, texts: Mapping[int, Settled]) -> None:
        """Gives kept pages, by row, the texts of these visits. Their bands are replaced too."""
        judged = [(page, item, item.judged) for page, item in texts.items() if item.judged]
        self._replace(connection, {page: self._page(item, analysis) for page, item, analysis in judged})
        duplicates.remember(connection, [(page, analysis.signature) for page, _, analysis in judged])

    @staticmethod
    def _replace(connection: Connection, rows: Mapping[int, tuple[object, ...]]) -> None:
        """Pages by row, whose bands go."""
        duplicates.remove_bands(connection, list(rows))
        _REPLACE_PAGES.run(connection, [(page, *row) for page, row in rows.items()])

    def shown(self, connection: Connection, claims: Sequence[Claim]) -> dict[int, frozenset[str]]:
        """The URLs to which those that were visited before linked then, by row."""
        self._reading(connection)
        known = [claim.id for claim in claims if claim.seen is not None]
        rows = (row for chunk in chunks(known) for row in _LINKS.rows(connection, rows=chunk))
        return {
            url_id: frozenset(link.link.url for link in self._codec.unpack_links(packed)) for url_id, packed in rows
        }

    @staticmethod
    def _judged_before(connection: Connection, settled: Sequence[Settled]) -> dict[int, tuple[int, str]]:
        """Fetch and outcome of the judgements of those URLs that were visited before."""
        known = [item.visit.claim.id for item in settled if item.visit.claim.seen is not None]
        rows = (row for chunk in chunks(known) for row in _JUDGED_BEFORE.rows(connection, rows=chunk))
        return {url_id: (fetch_id, outcome) for url_id, fetch_id, outcome in rows}

    @staticmethod
    def _remove(rows: Sequence[int], connection: Connection) -> None:
        for chunk in chunks(rows):
            for statement in _REMOVE:
                connection.execute(statement, {"rows": chunk})

    def _outlinks(self, item: Settled, analysis: Analysis, fetch_id: int | None) -> bytes:
        content = links_as_bytes(analysis.outlinks, analysis.post, analysis.subjects)
        return self._packer.outlinks(netloc(item.visit.claim.url), fetch_id, content)

    def _reading(self, connection: Connection) -> None:
        self._codec.find = partial(content_of, connection)

    def history(self, connection: Connection, since: int = 0, until: int = NEWEST) -> Iterator[FetchLesson]:
        """All that a link scorer learns, in the order of commit: the fetches after `since`, up to `until`."""
        self._reading(connection)
        while True:
            rows = _HISTORY.rows(connection, topic=self._topic, since=since, until=until)
            for fetch_id, url_id, counted, outcome, *page in rows:
                yield FetchLesson(fetch_id, url_id, bool(counted), kept_more(outcome), self._news(outcome, *page))
                since = fetch_id
            if len(rows) < REPLAY_BATCH:
                return

    def _news(
        self,
        outcome: str,
        reason: str,
        url: str,
        depth: int,
        distance: int,
        index_kind: str | None,
        nearness: float | None,
        on_topic: bool,
        text_relevance: float,
        packed: bytes | None,
    ) -> JudgedPage | Ended | None:
        if nearness is not None:
            outlinks, post, _ = self._codec.unpack_page(packed) if packed else ((), 1.0, ())
            return JudgedPage(
                url=url,
                nearness=min(1.0, nearness),
                on_topic=bool(on_topic),
                text_relevance=text_relevance,
                depth=depth,
                distance=distance,
                outlinks=outlinks,
                post=post,
                index_kind=index_kind or "",
                repeats=outcome == Outcome.DUPLICATE,
            )
        if outcome not in UNJUDGED:
            return None
        return Ended(url, Outcome(outcome), read(reason).value("url") if outcome == Outcome.REDIRECT else "")

    def totals(self, connection: Connection) -> Totals:
        """Counts all fetches and kept pages: at the start of a crawl, from then on the caller counts."""
        kept = count(connection, judgements.c.topic_id == self._topic, judgements.c.outcome == Outcome.KEPT.value)
        last = select(func.coalesce(func.max(fetches.c.id), 0)).where(fetches.c.topic_id == self._topic)
        return Totals(self.counted(connection), kept, connection.execute(last).scalar_one())

    def counted(self, connection: Connection, since: int = 0) -> int:
        """How many fetches after `since` count towards PAGE_BUDGET."""
        return int(_COUNTED.value(connection, topic=self._topic, since=since))

    def news(self, connection: Connection, since: int) -> Totals:
        """What the fetches after `since` have brought."""
        fetched, kept, last = _NEWS.rows(connection, topic=self._topic, since=since)[0]
        return Totals(fetched, kept, last or since)

    def has_news(self, connection: Connection, since: int) -> bool:
        """Whether anything was fetched after `since`."""
        return _NEWER.value(connection, topic=self._topic, since=since) is not None

    def logged(self, connection: Connection, visits: Sequence[Visit]) -> dict[tuple[int, float], Outcome]:
        """How those of the visits were stored that are in the log, by URL and time."""
        found: dict[tuple[int, float], Outcome] = {}
        for chunk in chunks([visit.claim.id for visit in visits]):
            for url_id, at, outcome in connection.execute(_LOGGED, {"topic": self._topic, "ids": chunk}):
                found[url_id, at] = Outcome(outcome)
        return found

    def _page(self, item: Settled, analysis: Analysis) -> tuple[object, ...]:
        """The row, in the order of PAGE."""
        visit, kept = item.visit, item.stores
        is_sample = item.outcome is Outcome.OFF_TOPIC and keeps_text(visit.claim.url, analysis)
        with_text = kept or is_sample or item.is_part
        body = self._codec.pack_text(analysis.extraction.body) if with_text else None
        prints = (item.digest, analysis.signature or None) if kept else (None, None)
        canonical = analysis.canonical or None if kept else None
        place = (visit.place.file, visit.place.offset) if visit.place else (None, None)
        reader = analysis.reader or None if kept else None
        row = (visit.claim.url, body, *prints, canonical, visit.status, visit.fetched_at, reader, *place, None)
        return (*row, *found_in(analysis).values())


def kept_more(outcome: str) -> int:
    """How many kept pages more there are after a fetch that ended so."""
    return (outcome == Outcome.KEPT) - (outcome == Outcome.DROPPED)


def _replaces(item: Settled, before: tuple[int, str] | None) -> bool:
    """Whether the visit's result replaces the URL's judgement."""
    if item.outcome is Outcome.UNCHANGED:
        return item.renews
    return before is None or before[1] != Outcome.KEPT or item.stores


def note_scoring(connection: Connection, topic_id: int, scoring: Scoring) -> None:
    """Adds a row when the scorer has changed. Several workers that begin at once may each add one: that harms
    nobody."""
    known = scorings_of(connection, topic_id)
    if not known or known[-1].scorer != scoring.scorer:
        connection.execute(insert(scorings).values(topic_id=topic_id, **scoring._asdict()))


def scorings_of(connection: Connection, topic_id: int) -> list[Scoring]:
    """All scorings of the topic, the oldest first; none where the harvest was made before they were noted."""
    query = select(scorings.c.since, scorings.c.at, scorings.c.scorer).where(scorings.c.topic_id == topic_id)
    return [Scoring(*row) for row in connection.execute(query.order_by(scorings.c.id))]
