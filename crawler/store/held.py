"""Pages that the database already holds, fetched of late for any topic: another topic judges them without a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, or_, select

from crawler.database.schema import judgements, links, pages
from crawler.document import with_found
from crawler.reader.text.minhash import signature
from crawler.records import Analysis, Extraction, WarcPlace
from crawler.store.compression import Codec, reader

LINKS_OF = (  # those that this topic saw, else another one
    select(links.c.packed)
    .join(judgements, judgements.c.url_id == links.c.url_id)
    .where(judgements.c.page_id == pages.c.id)
    .order_by(judgements.c.topic_id != bindparam("topic"), judgements.c.url_id)
    .limit(1)
    .scalar_subquery()
)
_FRESH = select(pages, LINKS_OF.label("packed")).where(
    pages.c.url.in_(bindparam("addresses", expanding=True)),
    pages.c.fetched_at >= bindparam("since"),
    pages.c.gone_at.is_(None),
    or_(pages.c.body.is_not(None), pages.c.warc_file.is_not(None)),
)


@dataclass(frozen=True, slots=True)
class Held:
    """A page that need not be fetched."""

    at: float  # when it was fetched, seconds since the epoch
    place: WarcPlace | None  # of its response; None: it was not archived
    analysis: Analysis | None  # what is stored of it, still to be judged; None: its text is not stored


def held(connection: Connection, topic_id: int, addresses: Sequence[str], since: float) -> dict[str, Held]:
    """Those of the pages that were fetched since then, by canonical address."""
    rows = connection.execute(_FRESH, {"topic": topic_id, "addresses": list(addresses), "since": since}).all()
    codec = reader(connection)
    return {
        row.url: Held(row.fetched_at, place_of(row), None if row.body is None else stored_analysis(codec, row))
        for row in rows
    }


def place_of(row: Any) -> WarcPlace | None:
    return WarcPlace(row.warc_file, row.warc_offset, "") if row.warc_file else None


def stored_analysis(codec: Codec, row: Any) -> Analysis:
    """Of a row of `pages` with a body, and `packed` links. Of these only words and addresses are there: titles and
    texts around were not stored."""
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
    return with_found(found, row)
