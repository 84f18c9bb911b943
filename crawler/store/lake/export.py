"""From a harvest to a lake, each time what is new: kept pages with their texts and the trace of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Row, Subquery, func, select

from crawler.database.database import Database
from crawler.database.schema import SIMILARITY, fetches, hosts, judgements, labels, pages, topics, urls
from crawler.errors import LakeError
from crawler.messages import _
from crawler.records import FORMER_KINDS, Outcome
from crawler.store.compression import reader
from crawler.store.lake.columns import harvest_schema
from crawler.store.lake.folder import Lake, Written
from crawler.store.names import topic_id_of

PARTITIONS = ("host", "day", "language", "kind")  # `day`: of fetching, UTC
GROUP_ROWS = 20_000  # pages in memory: they are written, and noted, at once
GROUP_CHARACTERS = 50_000_000  # of their bodies
READ_BATCH = 200

Progress = Callable[[int, int], None]  # pages looked at, pages in all
PageRow = dict[str, Any]  # columns of `harvest_schema`
Folders = tuple[tuple[str, str], ...]  # the columns of the partition with their values

_via = urls.alias("via")
_answer = (
    select(labels.c.answer)
    .where(labels.c.topic_id == judgements.c.topic_id, labels.c.url == pages.c.url)
    .order_by(labels.c.who.desc(), labels.c.id.desc())
    .limit(1)
    .scalar_subquery()
    .label("label")
)
_KEPT = (judgements.c.outcome == Outcome.KEPT.value) & pages.c.body.is_not(None)
_STORED = (Outcome.KEPT.value, Outcome.CHANGED.value)  # fetches that have stored a text


@dataclass(frozen=True, slots=True)
class Result:
    pages: int
    removed: tuple[str, ...] = ()  # files that an export which was stopped has left
    regraded: bool = False  # answers have changed what is kept since the last export, without a fetch


def export_lake(
    database: Database, topic: str, place: str, partition: Sequence[str], progress: Progress = lambda done, total: None
) -> Result:
    """Writes the kept pages that the lake has not: those fetched or judged again since the last export, with changed
    ones again. What is written stays when the export is stopped; the next one goes on.

    Raises LakeError: unknown column of the partition, another partition or harvest than the lake's, an unwritable
    place, unknown topic. StoreError: the database fails.
    """
    by = checked_partition(partition)
    schema = harvest_schema()  # pyarrow is missing: told first
    lake = Lake(place)
    with database.transaction(shared=True) as connection:
        topic_id = topic_id_of(connection, topic, LakeError)
        known = lake.written(topic)
        graded = connection.execute(select(topics.c.graded).where(topics.c.id == topic_id)).scalar() or ""
        written = replace(_begun(connection, topic_id, topic, lake, by), graded=graded)
        total, done = _count(connection, topic_id, written.since), 0
    removed = lake.remove_unfinished(topic, written.since)
    progress(0, total)
    while group := _next_group(database, topic_id, topic, written.since):
        number = group[-1]["fetch"]
        for folders, rows in _parts(group, by).items():
            import pyarrow

            lake.write(topic, number, folders, pyarrow.Table.from_pylist(rows, schema))
        written = replace(written, since=number)
        lake.note(topic, written)
        done += len(group)
        progress(done, max(done, total))
    if not done:
        lake.note(topic, written)
    return Result(done, tuple(removed), known is not None and known.graded != graded)


def checked_partition(names: Sequence[str]) -> tuple[str, ...]:
    """Raises LakeError for a name that is none of PARTITIONS."""
    wanted = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    unknown = [name for name in wanted if name not in PARTITIONS]
    if unknown or not wanted:
        raise LakeError(
            _("--partition: unknown column {unknown}; choose from {known}"),
            unknown=", ".join(unknown) or "so",
            known=", ".join(PARTITIONS),
        )
    return wanted


def _begun(connection: Connection, topic_id: int, topic: str, lake: Lake, by: tuple[str, ...]) -> Written:
    """What is written so far."""
    first_at, last = connection.execute(
        select(func.min(fetches.c.at), func.max(fetches.c.id)).where(fetches.c.topic_id == topic_id)
    ).one()
    first_at = first_at or 0.0
    written = lake.written(topic)
    if written is None:
        return Written(0, first_at, by, "")
    if written.first_at != first_at or written.since > (last or 0):
        raise LakeError(
            _("{place} holds pages of another harvest of {topic}, or newer ones; give another folder"),
            place=lake.place,
            topic=topic,
        )
    if written.partition != by:
        raise LakeError(
            _("{place} is partitioned by {others}; give --partition {others}, or another folder"),
            place=lake.place,
            others=",".join(written.partition),
        )
    return written


def _count(connection: Connection, topic_id: int, since: int) -> int:
    newest = _newest(topic_id, since)
    query = (
        select(func.count())
        .join_from(newest, judgements, judgements.c.url_id == newest.c.url_id)
        .join(pages, pages.c.id == judgements.c.page_id)
    )
    number: int = connection.execute(query.where(_KEPT)).scalar_one()
    return number


def _newest(topic_id: int, since: int) -> Subquery:
    """The last fetch that has stored each page, of those after `since`."""
    ours = (fetches.c.topic_id == topic_id) & (fetches.c.id > since) & fetches.c.outcome.in_(_STORED)
    found = select(fetches.c.url_id, func.max(fetches.c.id).label("id")).where(ours).group_by(fetches.c.url_id)
    return found.subquery("newest")


def rows_of(
    connection: Connection, topic_id: int, topic: str, since: int = 0, bodies: bool = True, most: int | None = None
) -> Generator[list[PageRow]]:
    """The kept pages that were judged after row `since` of the fetch log, in that order, in batches, at most so many:
    columns of `harvest_schema`. Without `bodies` these are empty, which saves most of the time."""
    newest = _newest(topic_id, since)
    query = (
        select(
            pages,
            SIMILARITY,
            newest.c.id.label("fetch_id"),
            judgements.c.reason,
            urls.c.depth,
            urls.c.distance,
            urls.c.score,
            _via.c.url.label("parent"),
            hosts.c.name.label("host"),
            fetches.c.run_id,
            _answer,
        )
        .join_from(newest, judgements, judgements.c.url_id == newest.c.url_id)
        .join(pages, pages.c.id == judgements.c.page_id)
        .join(urls, urls.c.id == judgements.c.url_id)
        .join(hosts, hosts.c.id == urls.c.host_id)
        .join(fetches, fetches.c.id == newest.c.id)
        .outerjoin(_via, _via.c.id == urls.c.via)
        .where(_KEPT)
        .order_by(newest.c.id)
        .limit(most)
    )
    codec = reader(connection)
    for batch in connection.execute(query.execution_options(yield_per=READ_BATCH)).partitions():
        yield [_row(row, topic, codec.unpack_text(row.body) if bodies else "") for row in batch]


def _row(row: Row[Any], topic: str, body: str) -> PageRow:
    same = ("url", "title", "published", "fetched_at", "language", "author", "host", "canonical", "signature", "digest")
    trace = ("warc_file", "warc_offset", "similarity", "parent", "depth", "distance", "score", "reason", "label")
    return {
        **{name: getattr(row, name) for name in (*same, *trace)},
        "body": body,
        "kind": FORMER_KINDS.get(row.kind, row.kind),
        "topic": topic,
        "run": row.run_id,
        "fetch": row.fetch_id,
    }


def _next_group(database: Database, topic_id: int, topic: str, since: int) -> list[PageRow]:
    """The next pages to be written, at most GROUP_ROWS with GROUP_CHARACTERS; none at the end. In a transaction of its
    own: one over a whole harvest would keep a crawl beside it from reusing its log."""
    group: list[PageRow] = []
    characters = 0
    with (
        database.transaction(shared=True) as connection,
        closing(rows_of(connection, topic_id, topic, since, most=GROUP_ROWS)) as batches,
    ):
        for row in chain.from_iterable(batches):
            group.append(row)
            characters += len(row["body"])
            if characters >= GROUP_CHARACTERS:
                break
    return group


def _parts(group: Sequence[PageRow], by: Sequence[str]) -> dict[tuple[tuple[str, str], ...], list[PageRow]]:
    """The pages by the folder in which they go."""
    parts: dict[tuple[tuple[str, str], ...], list[PageRow]] = defaultdict(list)
    for row in group:
        parts[tuple((name, _value(row, name)) for name in by)].append(row)
    return parts


def _value(row: PageRow, name: str) -> str:
    if name == "day":
        return datetime.fromtimestamp(row["fetched_at"], UTC).date().isoformat()
    return row[name] or "unknown"
