"""A topic's kept pages as a file, by the ending of its name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, select

from crawler.errors import ExportError
from crawler.frontier.database import Database
from crawler.frontier.schema import topics
from crawler.records import Outcome
from crawler.store.codec import Codec
from crawler.store.schema import judgements, pages

READ_BATCH = 500  # pages in memory


@dataclass(frozen=True, slots=True)
class Document:
    """One page of the corpus; the field names are the file's."""

    url: str
    title: str
    body: str
    published: str | None  # ISO 8601
    similarity: float
    fetched_at: str  # ISO 8601, UTC
    language: str


def write_jsonl(documents: Iterable[Document], path: Path) -> int:
    """A line each, UTF-8. Returns how many."""
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        for document in documents:
            file.write(json.dumps(asdict(document), ensure_ascii=False) + "\n")
            count += 1
        file.flush()
        os.fsync(file.fileno())
    return count


Writer = Callable[[Iterable[Document], Path], int]
WRITERS: dict[str, Writer] = {".jsonl": write_jsonl}


def export(database: Database, topic: str, path: Path, *, min_similarity: float = 0.0) -> int:
    """Writes the topic's kept pages, in the order in which their URLs were found, and returns how many. The file is
    whole or absent: it gets its name when the last page is in it.

    Raises ExportError: unknown ending, unknown topic, unwritable place. StoreError: the database fails.
    """
    writer = _writer(path)
    with database.transaction() as connection:
        documents = _documents(connection, _topic_id(connection, topic), min_similarity)
        with _whole_or_absent(path) as partial:
            return writer(documents, partial)


def _writer(path: Path) -> Writer:
    for ending, writer in WRITERS.items():
        if path.name.endswith(ending):
            return writer
    raise ExportError(f"cannot tell the format of {path} by its name; end it with {' or '.join(WRITERS)}")


def _topic_id(connection: Connection, name: str) -> int:
    known: dict[str, int] = {row.name: row.id for row in connection.execute(select(topics.c.name, topics.c.id))}
    if name not in known:
        listed = ", ".join(sorted(known)) or "none yet: start a crawl"
        raise ExportError(f"nothing was harvested for a topic {name!r}; the topics of this database are {listed}")
    return known[name]


def _documents(connection: Connection, topic_id: int, min_similarity: float) -> Iterator[Document]:
    query = (
        select(pages, judgements.c.similarity)
        .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .where(
            judgements.c.topic_id == topic_id,
            judgements.c.outcome == Outcome.KEPT.value,
            judgements.c.similarity >= min_similarity,
        )
        .order_by(judgements.c.url_id)
        .execution_options(yield_per=READ_BATCH)
    )
    codec = Codec()
    for row in connection.execute(query):
        yield Document(
            row.url,
            row.title,
            codec.unpack_text(row.body),
            row.published,
            row.similarity,
            datetime.fromtimestamp(row.fetched_at, UTC).isoformat(timespec="seconds"),
            row.language,
        )


@contextmanager
def _whole_or_absent(path: Path) -> Iterator[Path]:
    """A name beside the target to write to, which becomes the target at the end."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if path.is_dir():
            raise ExportError(f"{path} is a folder; name a file in it")
        yield partial
        partial.replace(path)
    except OSError as error:
        raise ExportError(
            f"cannot write {path} ({error.strerror}); name a file in a folder you may write to"
        ) from error
    finally:
        partial.unlink(missing_ok=True)
