"""Visits as rows: the fetch log, pages, judgements and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from crawler.frontier.batches import Many, chunks
from crawler.frontier.schema import urls
from crawler.records import Analysis, JudgedPage, Outcome, Visit
from crawler.store.codec import Codec
from crawler.store.schema import fetches, judgements, links, pages

REPLAY_BATCH = 200  # pages in memory while a link scorer is taught again


@dataclass(frozen=True, slots=True)
class Settled:
    """A visit and how it ends, when all is considered."""

    visit: Visit
    outcome: Outcome
    reason: str
    digest: bytes | None = None  # of the body of a page to keep, or of one that repeats a kept one
    judged: Analysis | None = None  # the analysis that is stored and learnt
    late: bool = False  # the URL had been settled by another visit: logged, nothing else


PAGE = ("url", "title", "body", "digest", "published", "language", "author", "kind", "status", "fetched_at")
_ADD_JUDGEMENTS = Many.into(
    judgements,
    "url_id",
    "fetch_id",
    "topic_id",
    "page_id",
    "outcome",
    "duplicate_of",
    "similarity",
    "text_relevance",
    "on_topic",
    "reason",
)
_ADD_LINKS = Many.into(links, "url_id", "packed")
_ADD_FETCHES = insert(fetches).returning(fetches.c.id, sort_by_parameter_order=True)
_PAGE_IDS = select(pages.c.url, pages.c.id).where(pages.c.url.in_(bindparam("addresses", expanding=True)))
_HISTORY = (
    select(
        fetches.c.outcome,
        urls.c.url,
        urls.c.depth,
        urls.c.distance,
        judgements.c.similarity,
        judgements.c.on_topic,
        judgements.c.text_relevance,
        links.c.packed,
    )
    .join_from(fetches, urls, urls.c.id == fetches.c.url_id)
    .outerjoin(judgements, (judgements.c.url_id == fetches.c.url_id) & (judgements.c.fetch_id == fetches.c.id))
    .outerjoin(links, links.c.url_id == judgements.c.url_id)
    .where(fetches.c.topic_id == bindparam("topic"))
    .order_by(fetches.c.id)
)
UNJUDGED = (Outcome.REDIRECT, Outcome.NOT_HTML, Outcome.FORBIDDEN, Outcome.FAILED)  # the URL is done with


class Archive:
    """Of one topic; every method works in the caller's transaction."""

    def __init__(self, topic_id: int, dialect: str) -> None:
        self._topic = topic_id
        self._codec = Codec()
        self._put_page = _upsert(dialect)

    def log(self, connection: Connection, settled: Sequence[Settled]) -> list[int]:
        """Returns the fetches' ids, in order."""
        rows = [
            {
                "topic_id": self._topic,
                "url_id": item.visit.claim.id,
                "at": item.visit.fetched_at,
                "outcome": item.outcome.value,
                "counted": item.visit.counts_for_budget,
                "status": item.visit.status,
                "seconds": item.visit.seconds,
                "size": item.visit.size,
                "reason": storable(item.reason),
            }
            for item in settled
        ]
        return list(connection.execute(_ADD_FETCHES, rows).scalars())

    def put(
        self, connection: Connection, settled: Sequence[Settled], fetch_ids: Sequence[int], firsts: dict[bytes, int]
    ) -> None:
        """Pages, judgements and links of the judged visits. `firsts`: the kept page of each digest known before."""
        judged = [(item, item.judged, id) for item, id in zip(settled, fetch_ids, strict=True) if item.judged]
        if not judged:
            return
        self._put_page.run(connection, [self._page(item, analysis) for item, analysis, _ in judged])
        ids: dict[str, int] = {}
        for chunk in chunks([item.visit.claim.url for item, _, _ in judged]):
            ids.update((url, id) for url, id in connection.execute(_PAGE_IDS, {"addresses": chunk}))
        kept = {
            item.digest: ids[item.visit.claim.url]
            for item, _, _ in judged
            if item.digest is not None and item.outcome is Outcome.KEPT
        }
        firsts = kept | firsts
        rows = []
        for item, analysis, fetch_id in judged:
            first = firsts.get(item.digest) if item.digest and item.outcome is Outcome.DUPLICATE else None
            says = analysis.judgement
            ends = (ids[item.visit.claim.url], item.outcome.value, first)
            worth = (says.similarity, says.text_relevance, says.on_topic, storable(item.reason))
            rows.append((item.visit.claim.id, fetch_id, self._topic, *ends, *worth))
        _ADD_JUDGEMENTS.run(connection, rows)
        packed = [
            (item.visit.claim.id, self._codec.pack_links(analysis.outlinks))
            for item, analysis, _ in judged
            if analysis.outlinks
        ]
        _ADD_LINKS.run(connection, packed)

    def history(self, connection: Connection) -> Iterator[JudgedPage | str]:
        """All that a link scorer learns, in the order of commit: judged pages, and the URLs that ended without one."""
        query = connection.execution_options(yield_per=REPLAY_BATCH).execute(_HISTORY, {"topic": self._topic})
        for outcome, url, depth, distance, similarity, on_topic, text_relevance, packed in query:
            if similarity is not None:
                outlinks = self._codec.unpack_links(packed) if packed else ()
                yield JudgedPage(url, similarity, on_topic, text_relevance, depth, distance, outlinks)
            elif outcome in UNJUDGED:
                yield url

    def counted(self, connection: Connection) -> int:
        """Fetches towards PAGE_BUDGET over the life of the topic."""
        query = select(func.count()).where(fetches.c.topic_id == self._topic, fetches.c.counted.is_(True))
        return connection.execute(query).scalar_one()

    def kept(self, connection: Connection) -> int:
        query = select(func.count()).where(
            judgements.c.topic_id == self._topic, judgements.c.outcome == Outcome.KEPT.value
        )
        return connection.execute(query).scalar_one()

    def _page(self, item: Settled, analysis: Analysis) -> tuple[object, ...]:
        """In the order of PAGE."""
        extraction, visit = analysis.extraction, item.visit
        kept = item.outcome is Outcome.KEPT
        body = self._codec.pack_text(extraction.body) if kept else None
        says = (storable(extraction.title), body, item.digest if kept else None, extraction.published)
        about = (analysis.language, storable(extraction.author), extraction.kind.value)
        return (visit.claim.url, *says, *about, visit.status, visit.fetched_at)


def _upsert(dialect: str) -> Many:
    """The newest fetch of a page is kept, but not one without a body over one with a body."""
    into = (postgresql.insert if dialect == "postgresql" else sqlite.insert)(pages)
    values: dict[str, Any] = {column: bindparam(f"new_{column}") for column in PAGE}
    statement = into.values(values).on_conflict_do_update(
        index_elements=[pages.c.url],
        set_={column: into.excluded[column] for column in PAGE if column != "url"},
        where=or_(into.excluded.body.is_not(None), pages.c.body.is_(None)),
    )
    return Many(statement.inline(), [f"new_{column}" for column in PAGE])


def storable(text: str) -> str:
    """Without what a database's text cannot hold: NUL, and halves of surrogate pairs from broken markup."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
