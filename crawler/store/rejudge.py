"""A harvest judged again for another topic, or for one whose file was edited: from what is stored, without fetching.

rejudgement = Rejudgement(database, frontier, scorer)
for batch in ...:
    outcomes = rejudgement.commit(batch)    # one transaction
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, select

from crawler.database.database import Database
from crawler.database.schema import judgements, links, pages
from crawler.database.statements import chunks, count
from crawler.frontier.frontier import Frontier
from crawler.records import Analysis, Claim, Extraction, Outcome, Outlink, PageKind, Visit, WarcPlace
from crawler.scorers.base import LinkScorer
from crawler.store.compression import Codec, reader
from crawler.store.crawl_store import CrawlStore


@dataclass(frozen=True, slots=True)
class JudgedAgain:
    """A stored page with its new analysis, or, as it comes from the database, with that to be judged: its outlinks are
    as another topic saw them, and without titles and texts around, which were not stored."""

    url: str  # canonical
    fetched_at: float  # seconds since the epoch
    status: int
    analysis: Analysis
    place: WarcPlace | None = None


_JUDGEMENTS = delete(judgements).where(judgements.c.url_id.in_(bindparam("rows", expanding=True)))
_LINKS = delete(links).where(links.c.url_id.in_(bindparam("rows", expanding=True)))
_BODIES = select(pages).where(pages.c.body.is_not(None), pages.c.id > bindparam("since")).order_by(pages.c.id)
_OUTLINKS = (
    select(judgements.c.page_id, func.min(judgements.c.url_id))
    .join_from(judgements, links, links.c.url_id == judgements.c.url_id)
    .where(judgements.c.page_id.in_(bindparam("ids", expanding=True)))
    .group_by(judgements.c.page_id)
)
_PACKED = select(links.c.url_id, links.c.packed).where(links.c.url_id.in_(bindparam("rows", expanding=True)))


class Rejudgement:
    """Of one topic, which may be new to the database. Of the database's thread."""

    def __init__(self, database: Database, frontier: Frontier, scorer: LinkScorer) -> None:
        """`scorer` starts without lessons: it scores the outlinks of the pages until the next crawl teaches it all."""
        self._database = database
        self._frontier = frontier
        self._harvest = CrawlStore(database, frontier, scorer)

    def commit(self, batch: Sequence[JudgedAgain]) -> list[Outcome]:
        """Stores the judgements in place of earlier ones of this topic, pages and outlinks with them, as a crawl would
        have done; but nothing counts towards PAGE_BUDGET. Returns how each page was stored. Raises StoreError, and then
        nothing of the batch is stored."""
        if not batch:
            return []
        with self._database.transaction() as connection:
            now = max(page.fetched_at for page in batch)
            claims = {claim.url: claim for claim in self._frontier.reopen([page.url for page in batch], now)}
            for chunk in chunks([claim.id for claim in claims.values()]):
                connection.execute(_LINKS, {"rows": chunk})
                connection.execute(_JUDGEMENTS, {"rows": chunk})
            return self._harvest.commit([_visit(page, claims[page.url]) for page in batch])

    def stored_pages(self, size: int) -> Iterator[list[JudgedAgain]]:
        """All pages with a body, `size` at a time, in the order in which they were first judged."""
        since = 0
        while True:
            with self._database.transaction(shared=True) as connection:
                rows = connection.execute(_BODIES.limit(size), {"since": since}).all()
                if not rows:
                    return
                ids = [row.id for row in rows]
                pairs = {url_id: page_id for page_id, url_id in connection.execute(_OUTLINKS, {"ids": ids})}
                packed = connection.execute(_PACKED, {"rows": list(pairs)}).all()
                codec = reader(connection)
                told = {pairs[url_id]: codec.unpack_page(content) for url_id, content in packed}
                since = ids[-1]
                found = [_page(codec, row, *told.get(row.id, ((), 1.0, ()))) for row in rows]
            yield found


def without_text(connection: Connection, topic_id: int) -> int:
    """How many pages that a crawl of the topic has dropped have no stored text. They cannot be judged again from the
    database."""
    dropped = (judgements.c.topic_id == topic_id) & (judgements.c.outcome == Outcome.OFF_TOPIC.value)
    return count(connection, dropped, pages.c.id == judgements.c.page_id, pages.c.body.is_(None))


def _page(
    codec: Codec, row: Row[Any], outlinks: tuple[Outlink, ...], post: float, subjects: tuple[str, ...]
) -> JudgedAgain:
    analysis = Analysis(
        Extraction(row.title, codec.unpack_text(row.body), row.published, row.author, PageKind(row.kind)),
        outlinks=outlinks,
        language=row.language,
        post=post,
        signature=bytes(row.signature or b""),
        canonical=row.canonical or "",
        subjects=subjects,
    )
    place = WarcPlace(row.warc_file, row.warc_offset, "") if row.warc_file else None
    return JudgedAgain(row.url, row.fetched_at, row.status, analysis, place)


def _visit(page: JudgedAgain, claim: Claim) -> Visit:
    """As the pipelines of a crawl end it: a page without a body may be a hub of the topic, but is not kept."""
    found = page.analysis
    outcome, reason = found.verdict()
    return Visit(claim, outcome, page.fetched_at, page.status, reason, analysis=found, place=page.place, fetched=False)
