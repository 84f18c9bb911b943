"""A topic's kept pages as a file or folder, by the ending of its name.

with Database(url, readonly=True) as database:
    export(database, "machine-learning", "corpus.parquet", Selection(min_similarity=0.4))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from scrapy.settings import BaseSettings
from sqlalchemy import Connection, func, select

from crawler.archive.places import archive_at
from crawler.database.database import Database
from crawler.database.schema import has_code, judgements
from crawler.document import DEFAULT_FIELDS, FIELDS, Document
from crawler.errors import ExportError
from crawler.frontier.steering import steering
from crawler.messages import _
from crawler.mistakes import known_names
from crawler.plugins import FORMATS, offered, plugin
from crawler.reader.html.page import Page
from crawler.reasons import Code, ReasonError
from crawler.records import Extraction, WarcPlace
from crawler.store.names import topic_id_of
from zhuti.archive.reader import page_markup, response_at
from zhuti.export.card import BODY_TEXT, README, Tally, card, has_card, place
from zhuti.export.formats import (
    BOM,
    INDEX,
    write_csv,
    write_jsonl,
    write_jsonl_gz,
    write_jsonl_zst,
    write_parquet,
    write_texts,
    write_warc,
)
from zhuti.export.selection import Body, Selection, archives, as_stored, count, documents, require_some, with_left
from zhuti.whole_file import refuse_foreign, whole_file, whole_folder

if TYPE_CHECKING:
    from zhuti.export.lock import Lock, LockedCorpus

Writer = Callable[[Iterable[Document], Path, Sequence[str]], int]
Progress = Callable[[int, int], None]  # pages looked at, pages in all
Stage = Callable[[Iterable[Document]], Iterable[Document]]

WRITERS: dict[str, Writer] = {
    ".jsonl": write_jsonl,
    ".jsonl.gz": write_jsonl_gz,
    ".jsonl.zst": write_jsonl_zst,
    ".parquet": write_parquet,
    ".csv": write_csv,
    ".warc.gz": write_warc,
}
LOADABLE = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet", ".csv")  # by `datasets`
TEXTS = "texts/**/*.txt"


@dataclass(frozen=True, slots=True)
class Shape:
    """What becomes of the pages between harvest and file; the defaults change nothing."""

    pages: Stage = iter  # changes pages or leaves some out; the card counts what it gives
    parts: Stage = iter  # what is written of these
    fields: tuple[str, ...] = ()  # that the stages add (Document.more), written after the others
    trace: bool = False  # whether selection.TRACE is known of each
    told: Callable[[], Sequence[str]] = tuple  # lines of the card, asked when all is written


def export(
    database: Database | None,
    topic: str,
    target: str | Path,
    selection: Selection | None = None,
    fields: Sequence[str] = DEFAULT_FIELDS,
    progress: Progress = lambda done, total: None,
    *,
    bom: bool = False,
    overwrite: bool = False,
    archive: FromArchive | None = None,
    shape: Shape = Shape(),
    lock: Lock | None = None,
    locked: LockedCorpus | None = None,
) -> int:
    """Writes the topic's kept pages, in the order in which their URLs were found, with a data card, and returns how
    many. A name that ends with "/" or has no ending is a folder of texts. File and folder are whole or absent: they
    get their name when the last page is in them. `bom`: CSV with a byte order mark, by which Excel knows UTF-8.
    `overwrite`: also a file that no export has written. `archive`: makes the bodies again. `shape`: what becomes
    of the pages. `lock`: notes them. `locked`: those of a lock instead; then there may be no database.

    Raises ExportError: unknown ending or field, no page to export, unwritable place, foreign file, a page that is not
    archived.
    ArchiveError: its record cannot be read. StoreError: unknown topic, the database fails.
    """
    path, chosen = Path(target), selection or Selection()
    names = (*known_names(fields, FIELDS, "--fields", ExportError), *chosen.fields, *shape.fields)
    if path.name in ("", ".."):
        raise ExportError(_("{target} is not a file name; give a file, or a new folder for texts"), target=target)
    writer = None if is_folder(target) else _writer(path)
    if bom and writer is not write_csv:
        raise ExportError(_("--bom is for CSV files; leave it out, or give a .csv file"))
    if writer is not None:
        refuse_foreign(path, overwrite or has_card(path))
    tally = Tally()

    def says(data_files: str) -> str:
        bodies = archive.told() if archive else BODY_TEXT
        return card(topic, path.name, data_files, names, chosen, tally, bodies, shape.told())

    with database.transaction() if database else nullcontext() as connection:
        if locked:
            tally.forbidden.update(locked.head["forbidden"])
            tally.steers = tuple(locked.head["steers"])
            harvested: Iterable[Document] = locked.documents(connection, archive or as_stored, progress)
        else:
            assert connection is not None
            topic_id = topic_id_of(connection, topic, ExportError)
            require_some(connection, topic, topic_id, chosen)
            tally.forbidden.update(_forbidden(connection, topic_id))
            tally.steers = tuple(f"{steer.action} {steer.pattern}" for steer in steering(connection, topic_id).steers)
            if archive:
                archive.require_archived(connection, topic_id, chosen)
            body_of = lock.noting(archive or as_stored) if lock else archive or as_stored
            harvested = _stream(connection, topic_id, chosen, progress, body_of, shape.trace)
            if lock:
                lock.begin(tally.forbidden, tally.steers)
                harvested = lock.noted(harvested)
        stream = shape.parts(tally.counted(shape.pages(harvested)))
        if "keywords" in names:
            stream = _with_keywords(stream)
        if connection is not None and not locked:
            stream = with_left(connection, topic_id, chosen, stream, (*chosen.fields, *shape.fields))
        if writer is None:
            with whole_folder(path, INDEX) as partial:
                number = write_texts(stream, partial, names)
                (partial / README).write_text(says(TEXTS), encoding="utf-8", errors="replace")
            return number
        with whole_file(path) as partial:
            number = write_csv(stream, partial, names, BOM) if bom else writer(stream, partial, names)
    loadable = path.name if path.name.endswith(LOADABLE) else ""
    with whole_file(place(path)) as partial:
        partial.write_text(says(loadable), encoding="utf-8", errors="replace")
    return number


def _forbidden(connection: Connection, topic_id: int) -> dict[str, int]:
    """How many pages were not kept, or kept all the same, by what their publishers forbid."""
    says, told = judgements.c.reason, {Code.FORBIDDEN_TO_KEEP: "not kept", Code.KEPT_ALTHOUGH: "kept"}
    ours = judgements.c.topic_id == topic_id, has_code(says, *told)
    counted = select(says, func.count()).where(*ours).group_by(says)
    return {f"{told[reason.code]}, {reason}": number for reason, number in connection.execute(counted)}


def _with_keywords(stream: Iterable[Document]) -> Iterator[Document]:
    from zhuti.keywords import keywords  # networkx: not for every export

    for document in stream:
        words = keywords(Extraction(document.title, document.body))
        yield replace(document, keywords=", ".join(words))


def is_folder(target: str | Path) -> bool:
    """Whether the name is that of a folder of texts. "-", which elsewhere means the standard output, is not."""
    return str(target).endswith("/") or (not Path(target).suffix and str(target) != "-")


def _writer(path: Path) -> Writer:
    for ending, writer in WRITERS.items():
        if path.name.endswith(ending):
            return writer
    others = offered(FORMATS)
    for name in others:
        if path.name.endswith(f".{name}"):
            return cast("Writer", plugin(FORMATS, name, FORMATS))
    endings = ", ".join([*WRITERS, *(f".{name}" for name in others)])
    raise ExportError(
        _("the name {path} does not tell the format; end it with {endings}, or with / for a folder of texts"),
        path=path,
        endings=endings,
    )


def _stream(
    connection: Connection, topic_id: int, selection: Selection, progress: Progress, body_of: Body, trace: bool
) -> Iterable[Document]:
    total, done = count(connection, topic_id, selection), 0

    def seen(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    progress(0, total)
    return documents(connection, topic_id, selection, seen, body_of, trace)


class FromArchive:
    """Makes bodies again, in Markdown, or finds their links and pictures. A `selection.Body`."""

    def __init__(self, settings: BaseSettings, markdown: bool = True, media: Collection[str] = ()) -> None:
        """`settings`: the WARC_DIR of the crawl. `media`: which of extractors.MEDIA is also wanted, as fields."""
        from crawler.extractors import extractor  # NumPy: not for every export
        from zhuti.aside import Aside

        self._folder, self._markdown, self._media = archive_at(settings["WARC_DIR"]), markdown, media
        self._extract = Aside(settings, partial(extractor, "best-markdown" if markdown else "best", media))
        self.as_stored = 0  # pages in which no body is found again: their text is taken as it is stored

    def require_archived(self, connection: Connection, topic_id: int, selection: Selection) -> None:
        """Raises ExportError unless all selected pages are in files of the folder."""
        files = archives(connection, topic_id, selection)
        missing = sum(pages for name, pages in files.items() if not (name and (self._folder / name).is_file()))
        if missing:
            raise ExportError(
                _(
                    "{missing} of {total} pages are in no archive in {folder}, and --format markdown"
                    " and --with need the archived pages: give the WARC_DIR of the crawl, choose other"
                    " pages, or leave them out"
                ),
                missing=missing,
                total=sum(files.values()),
                folder=self._folder,
            )

    def told(self) -> str:
        """What the data card says of the bodies that were made."""
        stored = f" (of {self.as_stored:,} pages the stored text)" if self.as_stored else ""
        return f"bodies in Markdown{stored}" if self._markdown else BODY_TEXT

    def __call__(self, row: Any, stored: str) -> tuple[str, dict[str, Any]]:
        markup = page_markup(response_at(self._folder, WarcPlace(row.warc_file, row.warc_offset, "")))
        try:
            found = self._extract(Page(markup, row.url)) if markup else Extraction()
        except ReasonError:
            found = Extraction()
        self.as_stored += not found.body
        body = found.body if found.body and self._markdown else stored
        return body, {name: [asdict(each) for each in getattr(found, name)] for name in self._media}
