"""Stored pages of a harvest, to be judged for a topic whose words may be others: they enter its harvest once more, with
their links, as a crawl would have stored them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, select

from crawler.database.database import Database
from crawler.database.schema import has_code, judgements, links, pages, urls
from crawler.database.statements import chunks, count
from crawler.document import with_found
from crawler.frontier.frontier import Frontier
from crawler.labels.judge_again import overruled
from crawler.labels.labels import Label
from crawler.labels.ranked import OFF_TOPIC
from crawler.reader.text.minhash import signature
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Claim, Extraction, Outcome, Visit, WarcPlace
from crawler.store.compression import Codec, reader
from crawler.store.crawl_store import CrawlStore

_FORGET = [delete(table).where(table.c.url_id.in_(bindparam("rows", expanding=True))) for table in (links, judgements)]
_LINKS = (  # those that this topic saw, else another one
    select(links.c.packed)
    .join(judgements, judgements.c.url_id == links.c.url_id)
    .where(judgements.c.page_id == pages.c.id)
    .order_by(judgements.c.topic_id != bindparam("topic"), judgements.c.url_id)
    .limit(1)
    .scalar_subquery()
)
_STORED = (
    select(pages, _LINKS.label("packed"))
    .where(pages.c.id > bindparam("since"))
    .order_by(pages.c.id)
    .limit(bindparam("size"))
)


def with_text(left_out: int | None) -> Sequence[ColumnElement[bool]]:
    """Conditions of pages with a body, but for those that were judged for the topic `left_out`."""
    of_topic = select(judgements.c.page_id).where(judgements.c.topic_id == left_out, judgements.c.page_id.is_not(None))
    return pages.c.body.is_not(None), pages.c.id.not_in(of_topic)


def stored_pages(database: Database, topic_id: int, size: int, left_out: int | None = None) -> Iterator[list[Visit]]:
    """All pages with a body, whatever their topics, `size` at a time, in the order in which they were first judged; not
    those that were judged for the topic `left_out`."""
    since, query = 0, _STORED.where(*with_text(left_out))
    while True:
        with database.transaction(shared=True) as connection:
            rows = connection.execute(query, {"topic": topic_id, "since": since, "size": size}).all()
            codec = reader(connection)
            found = [_visit(codec, row) for row in rows]
        if not found:
            return
        since = rows[-1].id
        yield found


def _visit(codec: Codec, row: Any) -> Visit:
    """Returns the visit of a row of `pages` with a body, and `packed` links. Of these only words and addresses are
    there: titles and texts around were not stored."""
    outlinks, post, subjects = codec.unpack_page(row.packed) if row.packed else ((), 1.0, ())
    body = codec.unpack_text(row.body)
    found = Analysis(
        Extraction(body=body),
        outlinks=outlinks,
        post=post,
        signature=bytes(row.signature or b"") or signature(body),
        canonical=row.canonical or "",
        subjects=subjects,
    )
    place = WarcPlace(row.warc_file, row.warc_offset, "") if row.warc_file else None
    return visit(row.url, row.fetched_at, row.status, with_found(found, row), place)


def visit(url: str, at: float, status: int, analysis: Analysis, place: WarcPlace | None) -> Visit:
    """A page for `put_again`. `url`: canonical. `at`: when it was fetched, seconds since the epoch."""
    return Visit(Claim(0, url, 0.0), Outcome.KEPT, at, status, analysis=analysis, place=place, fetched=False)


def put_again(
    database: Database, frontier: Frontier, store: CrawlStore, said: Mapping[str, Label], judged: Sequence[Visit]
) -> list[Outcome]:
    """Stores the judgements in place of earlier ones of this topic, pages and outlinks with them, as a crawl would have
    done; but nothing counts towards PAGE_BUDGET. Returns how each page was stored. Raises StoreError, and then nothing
    of it is stored. `judged`: from `visit`. `said`: the answers that count."""
    if not judged:
        return []
    with database.transaction() as connection:
        forbidden = _forbidden(connection, frontier.topic_id, [page.claim.url for page in judged])
        now = max(page.fetched_at for page in judged)
        claims = {claim.url: claim for claim in frontier.reopen([page.claim.url for page in judged], now)}
        for chunk in chunks([claim.id for claim in claims.values()]):
            for statement in _FORGET:
                connection.execute(statement, {"rows": chunk})
        again = [_settled(page, claims[page.claim.url], said.get(page.claim.url)) for page in judged]
        return store.commit([_still(page, forbidden.get(page.claim.url)) for page in again])


def _forbidden(connection: Connection, topic_id: int, addresses: Sequence[str]) -> dict[str, Reason]:
    """Why those of the pages may not be kept whose publishers have said so. Read before their judgements go."""
    says_no = has_code(judgements.c.reason, Code.FORBIDDEN_TO_KEEP), judgements.c.topic_id == topic_id
    query = select(urls.c.url, judgements.c.reason).join_from(urls, judgements, judgements.c.url_id == urls.c.id)
    found = (connection.execute(query.where(*says_no, urls.c.url.in_(some))) for some in chunks(addresses))
    return {row.url: row.reason for rows in found for row in rows}


def _still(page: Visit, reason: Reason | None) -> Visit:
    """What stored text and archives do not tell: a header of a later visit, or a file of the host, said no."""
    if reason is None or page.outcome is not Outcome.KEPT or page.analysis is None:
        return page
    if set(reason.value("forbids").split(", ")) <= page.analysis.waived:
        return page
    return replace(page, outcome=Outcome.OFF_TOPIC, reason=reason)


def _settled(page: Visit, claim: Claim, label: Label | None) -> Visit:
    """Returns the outcome that a crawl would give this visit: a page without a body may be a hub, but is not kept."""
    assert page.analysis is not None
    analysis = replace(page.analysis, judgement=overruled(page.analysis.judgement, label))
    outcome, reason = analysis.verdict()
    return replace(page, claim=claim, outcome=outcome, reason=reason, analysis=analysis)


def without_text(connection: Connection, topic_id: int) -> int:
    """How many pages that a crawl of the topic has dropped have no stored text. They cannot be judged again from the
    database."""
    dropped = (judgements.c.topic_id == topic_id) & (judgements.c.outcome == OFF_TOPIC)
    return count(connection, dropped, pages.c.id == judgements.c.page_id, pages.c.body.is_(None))
