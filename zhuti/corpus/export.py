"""From a harvest to a lake, each time what has changed: kept pages with their texts and the trace of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, Select, Subquery, func, select

from crawler.database.database import Database
from crawler.database.schema import SIMILARITY, fetches, hosts, judgements, pages, urls
from crawler.database.statements import chunks
from crawler.document import found_of
from crawler.errors import LakeError
from crawler.labels.labels import COUNTING
from crawler.messages import _
from crawler.mistakes import known_names
from crawler.records import Outcome
from crawler.store.compression import reader
from crawler.store.fetch_log import HAS_STORED
from crawler.store.names import topic_id_of
from zhuti.corpus.columns import harvest_schema
from zhuti.corpus.folder import Lake, Written

PARTITIONS = ("host", "day", "language", "kind")  # `day`: of fetching, UTC
GROUP_ROWS = 20_000  # pages in memory: they are written, and noted, at once
GROUP_CHARACTERS = 50_000_000  # of their bodies
READ_BATCH = 200

Progress = Callable[[int, int], None]  # pages looked at, pages in all
PageRow = dict[str, Any]  # columns of `harvest_schema`
Fetches = npt.NDArray[np.int64]  # rows of the fetch log
Folders = tuple[tuple[str, str], ...]  # the columns of the partition with their values

_via = urls.alias("via")
_KEPT = (judgements.c.outcome == Outcome.KEPT.value) & pages.c.body.is_not(None) & pages.c.gone_at.is_(None)


@dataclass(frozen=True, slots=True)
class Result:
    pages: int
    gone: int = 0  # rows that have left the lake: of pages that are kept no more, and of former texts
    removed: tuple[str, ...] = ()  # files that were not whole


def export_lake(
    database: Database, topic: str, place: str, partition: Sequence[str], progress: Progress = lambda done, total: None
) -> Result:
    """Makes the lake hold what the topic keeps: writes the kept pages that it has not, or not as they were last fetched
    or judged, and then takes out the rows of others. What is written stays when the export is stopped; the next one
    goes on.

    Raises LakeError: unknown column of the partition, another partition or harvest than the lake's, an unwritable
    place, unknown topic. StoreError: the database fails.
    """
    by = known_names(partition, PARTITIONS, "--partition", LakeError)
    schema = harvest_schema()  # pyarrow is missing: told first
    lake = Lake(place)
    with database.transaction(shared=True) as connection:
        topic_id = topic_id_of(connection, topic, LakeError)
        first_at, last = _log(connection, topic_id)
        live = _live(connection, topic_id)
    _check(lake, topic, first_at, by)
    there, broken = lake.fetches(topic)
    known = np.concatenate([np.zeros(0, np.int64), *there.values()])
    if known.max(initial=0) > last:
        raise _of_others(lake, topic)
    missing = np.setdiff1d(live, known)
    done, total = 0, len(missing)
    progress(0, total)
    lake.note(topic, Written(first_at, by))
    while len(missing):
        group = _group(database, topic_id, topic, missing[:GROUP_ROWS].tolist())
        for folders, rows in _parts(group, by).items():
            import pyarrow

            lake.write(topic, rows[-1]["fetch"], folders, pyarrow.Table.from_pylist(rows, schema))
        missing = missing[missing > group[-1]["fetch"]] if group else missing[GROUP_ROWS:]
        done += len(group)
        progress(done, max(done, total))
    gone = sum(lake.keep(path, _among(live, fetched)) for path, fetched in there.items())
    return Result(done, gone, tuple(broken))


def _among(live: Fetches, fetched: Fetches) -> npt.NDArray[np.bool_]:
    """Which of the second are among the first, which are sorted."""
    places = np.searchsorted(live, fetched)
    found: npt.NDArray[np.bool_] = np.append(live, -1)[places] == fetched
    return found


def _log(connection: Connection, topic_id: int) -> tuple[float, int]:
    """When the first fetch of the topic's log was, 0 before it, and the log's last row."""
    query = select(fetches.c.at, fetches.c.id).where(fetches.c.topic_id == topic_id).limit(1)
    first = connection.execute(query.order_by(fetches.c.id)).one_or_none()
    last = connection.execute(query.order_by(fetches.c.id.desc())).one_or_none()
    return (first.at, last.id) if first and last else (0.0, 0)


def _check(lake: Lake, topic: str, first_at: float, by: tuple[str, ...]) -> None:
    written = lake.written(topic)
    if written is None and (unknown := lake.files_of(topic)):  # nobody knows of which harvest: they might be removed
        raise LakeError(
            _("{path} is there, but the lake has no note of an export of {topic}; give another folder, or remove it"),
            path=unknown[0],
            topic=topic,
        )
    if written is not None and written.first_at not in (0.0, first_at):
        raise _of_others(lake, topic)
    if written is not None and written.partition != by:
        raise LakeError(
            _("{place} is partitioned by {others}; give --partition {others}, or another folder"),
            place=lake.place,
            others=",".join(written.partition),
        )


def _of_others(lake: Lake, topic: str) -> LakeError:
    return LakeError(
        _("{place} holds pages of another harvest of {topic}, or newer ones; give another folder"),
        place=lake.place,
        topic=topic,
    )


def _live(connection: Connection, topic_id: int) -> Fetches:
    """The last fetch that has stored it, of each kept page, sorted."""
    newest = _newest(topic_id)
    query = (
        select(newest.c.id)
        .join_from(newest, judgements, judgements.c.url_id == newest.c.url_id)
        .join(pages, pages.c.id == judgements.c.page_id)
        .where(_KEPT)
    )
    return np.sort(np.fromiter(connection.execute(query).scalars(), np.int64))


def _newest(topic_id: int, ids: Sequence[int] | None = None) -> Subquery:
    """The last fetch that has stored each page, of these fetches (None: of all)."""
    kept = fetches.c.id.in_(select(judgements.c.fetch_id).where(judgements.c.outcome == Outcome.KEPT.value))
    ours = (fetches.c.topic_id == topic_id) & (HAS_STORED | kept)  # answers keep what a visit has not
    found = select(fetches.c.url_id, func.max(fetches.c.id).label("id")).where(ours).group_by(fetches.c.url_id)
    return (found if ids is None else found.where(fetches.c.id.in_(ids))).subquery("newest")


def rows_of(
    connection: Connection, topic_id: int, topic: str, bodies: bool = True, ids: Sequence[int] | None = None
) -> Generator[list[PageRow]]:
    """The kept pages that these rows of the fetch log have stored (None: all), in that order, in batches: columns of
    `harvest_schema`. Without `bodies` these are empty, which saves most of the time."""
    codec = reader(connection)
    for chunk in [None] if ids is None else chunks(ids, READ_BATCH):
        query = _pages(topic_id, chunk).execution_options(yield_per=READ_BATCH)
        for batch in connection.execute(query).partitions():
            yield [_row(row, topic, codec.unpack_text(row.body) if bodies else "") for row in batch]


def _pages(topic_id: int, ids: Sequence[int] | None) -> Select[Any]:
    newest = _newest(topic_id, ids)
    return (
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
            COUNTING.label("label"),
        )
        .join_from(newest, judgements, judgements.c.url_id == newest.c.url_id)
        .join(pages, pages.c.id == judgements.c.page_id)
        .join(urls, urls.c.id == judgements.c.url_id)
        .join(hosts, hosts.c.id == urls.c.host_id)
        .join(fetches, fetches.c.id == newest.c.id)
        .outerjoin(_via, _via.c.id == urls.c.via)
        .where(_KEPT)
        .order_by(newest.c.id)
    )


def _row(row: Row[Any], topic: str, body: str) -> PageRow:
    same = ("url", "fetched_at", "host", "canonical", "signature", "digest")
    trace = ("warc_file", "warc_offset", "similarity", "parent", "depth", "distance", "score", "label")
    return {
        **{name: getattr(row, name) for name in (*same, *trace)},
        **found_of(row),
        "body": body,
        "reason": str(row.reason),
        "topic": topic,
        "run": row.run_id,
        "fetch": row.fetch_id,
    }


def _group(database: Database, topic_id: int, topic: str, ids: Sequence[int]) -> list[PageRow]:
    """The first of these pages, with GROUP_CHARACTERS at most. In a transaction of its own: one over a whole harvest
    would keep a crawl beside it from reusing its log."""
    group: list[PageRow] = []
    characters = 0
    with (
        database.transaction(shared=True) as connection,
        closing(rows_of(connection, topic_id, topic, ids=ids)) as batches,
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
