"""A corpus that can be made again: what each of its pages was, and where its text is.

A lock is a file of JSON lines. The first says how the corpus was made. Each further one is a page that was chosen, in
order: its record without the body, the digest of its text, its place in an archive. The last one has the digest of what
was written. Digests are SHA-256.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import fields
from functools import cached_property
from hashlib import file_digest, sha256
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

from scrapy.settings import BaseSettings
from sqlalchemy import Connection, or_, select

from crawler.archive.places import archive_at
from crawler.bundled import MODELS
from crawler.database.database import Database, parsed, sqlite_path
from crawler.database.schema import has_code, judgements, pages, versions
from crawler.document import FIELDS, Document
from crawler.errors import ArchiveError, ExportError, TopicError
from crawler.exits import FAILED
from crawler.extractors import MEDIA, extractor
from crawler.messages import _
from crawler.reader.html.page import Page
from crawler.reader.text.harmful import without_injected
from crawler.reader.text.printable import printable
from crawler.reasons import Code, told
from crawler.records import WarcPlace
from crawler.store.compression import reader
from crawler.topic.files import Topic
from crawler.topic.learn import learner
from zhuti.archive.reader import page_markup, response_at
from zhuti.export.selection import READ_BATCH, Body
from zhuti.whole_file import whole_file

OWN = ("url", "body", "more", "keywords")  # of a document: not as it is; words are found again
DECIDE = ("EXTRACTOR", "PAGE_JUDGE", "MINING_TAGS_OBEY", "ROBOTS_TAGS_OBEY", "FURTHER_PAGES", "PDF", "RENDER")

PAGE = frozenset({"url", "sha256", "more"})  # what a page's line has at least; what is "" is left out
HEAD = {"topic": str, "out": str, "options": dict, "extractor": str, "forbidden": dict, "steers": tuple}  # kinds

Line = Mapping[str, Any]


def made_by(settings: BaseSettings, topic: str) -> dict[str, Any]:
    """What decides about texts and judgements."""
    try:
        digest = Topic.load(topic, Path(settings["TOPICS_DIR"])).digest
    except TopicError:  # its file is elsewhere by now
        digest = ""
    models = sha256(b"".join(path.read_bytes() for path in sorted(MODELS.glob("extraction*.npz")))).hexdigest()[:16]
    return {
        "zhuti": version("zhuti"),
        "extractor": f"{settings['EXTRACTOR']} {models}",
        "judge": f"{settings['PAGE_JUDGE'] or 'words'} {learner()}",
        "topic_digest": digest,
        "settings": {name: settings[name] for name in DECIDE},
    }


def digest_of(path: Path) -> str:
    """Returns the digest of a file, or of all files of a folder with their names."""
    found = sha256()
    for file in sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]:
        with file.open("rb") as content:
            found.update(f"{file.relative_to(path)} {file_digest(content, 'sha256').hexdigest()}\n".encode())
    return found.hexdigest()


class Lock:
    """Writes one while an export goes by."""

    def __init__(self, file: TextIO, head: Line) -> None:
        self._file, self._head = file, head
        self._source: Line = {}  # of the page that goes by
        self.pages = 0

    def begin(self, forbidden: Mapping[str, int], steers: Sequence[str]) -> None:
        """What the data card tells of the harvest."""
        self._write({**self._head, "forbidden": forbidden, "steers": steers})

    def noting(self, body_of: Body) -> Body:
        def noted(row: Any, stored: str) -> tuple[str, dict[str, Any]]:
            place = {"warc": [row.warc_file, row.warc_offset]} if row.warc_file else {}
            self._source = {"url": row.url, "sha256": _of_text(stored), **place}
            return body_of(row, stored)

        return noted

    def noted(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            said = {each.name: getattr(document, each.name) for each in fields(document) if each.name not in OWN}
            more = {name: value for name, value in document.more.items() if name not in MEDIA}
            self._write({**self._source, **{name: one for name, one in said.items() if one != ""}, "more": more})
            self.pages += 1
            yield document

    def end(self, target: Path) -> None:
        self._write({"pages": self.pages, "sha256": digest_of(target)})

    def _write(self, line: Line) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")


@contextmanager
def locking(path: Path, head: Line, settings: BaseSettings, overwrite: bool) -> Iterator[Lock]:
    """`head`: topic, file and options. Raises ExportError for a file that is there and is not a lock."""
    if path.exists() and not overwrite:
        head_of(path)
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        yield Lock(file, {**head, **made_by(settings, head["topic"])})


def head_of(path: Path) -> dict[str, Any]:
    """How the corpus of a lock was made. Raises ExportError."""
    try:
        with path.open(encoding="utf-8") as file:
            head = json.loads(file.readline())
        return {**head, **{name: kind(head[name]) for name, kind in HEAD.items()}}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _no_lock(path, error) from error


def _no_lock(path: Path, error: Exception) -> ExportError:
    return ExportError(_("{path} is not a lock of zhuti export --lock ({error})"), path=path, error=error)


class LockedCorpus:
    """The pages of a lock in place of those that are kept now."""

    def __init__(self, path: Path, settings: BaseSettings, keeps: str = "") -> None:
        """`keeps`: a file that only the same one may replace."""
        self.path, self.settings, self.keeps = path, settings, keeps
        self.head = head_of(path)
        self.rejects: Callable[[Document, str, str], None] | None = None  # gets the pages that cannot be had
        self.pages = self.stand = 0  # pages of the lock, and those of them that are had
        self.older = self.archived = 0  # of these, where the database has another text by now
        self.sha256 = ""  # of what was written then

    def harvest(self) -> AbstractContextManager[Database | None]:
        """Opens the database, where there is one: an archive may be all that is left."""
        url = self.settings["STORE_URL"]
        file, needs_it = sqlite_path(parsed(url)), "pages" in self.head["options"].get("with", ())
        is_away = file is not None and not file.is_file() and not needs_it
        return nullcontext() if is_away else Database(url, readonly=True)

    def compare(self, target: Path) -> int:
        """Tells whether the same was written, and returns the exit status."""
        if self.older or self.archived:
            where = {"older": self.older, "archived": self.archived}
            print(_("{older} texts come from older versions in the database, {archived} from the archive", **where))
        if digest_of(target) == self.sha256:
            print(_("{target} has the same bytes as the corpus of the lock", target=target))
            return 0
        now = made_by(self.settings, self.head["topic"])
        named = {"stand": self.stand, "pages": self.pages, "share": self.stand / max(1, self.pages), "target": target}
        print(_("{stand} of {pages} pages could be made again ({share:.1%}); {target} differs", **named))
        for name in ("zhuti", "extractor", "judge"):
            if now[name] != self.head.get(name):
                print(printable(f"{name}: {self.head.get(name)} -> {now[name]}"))
        return FAILED

    def documents(
        self, connection: Connection | None, body_of: Body, progress: Callable[[int, int], None]
    ) -> Iterator[Document]:
        """Raises ExportError for a lock that is cut off; and at the end, where pages are missing, to keep a file."""
        rest = self._lines()
        while lines := list(islice(rest, READ_BATCH)):
            kept = self._kept(connection, lines) if connection is not None else {}
            for line in lines:
                self.pages += 1
                file, offset = line.get("warc", (None, None))
                said = {"title": "", "language": ""} | {name: value for name, value in line.items() if name in FIELDS}
                try:
                    text = self._text(connection, line, kept.get(line["url"]))
                    body, more = body_of(SimpleNamespace(url=line["url"], warc_file=file, warc_offset=offset), text)
                except (ArchiveError, _Missing) as error:
                    print(printable(f"{line['url']}: {error}"))
                    if self.rejects:
                        self.rejects(Document(**said, body=""), "lock", str(error))
                    continue
                self.stand += 1
                yield Document(**said, body=body, more={**more, **line["more"]})
            progress(self.pages, self.pages)
        if self.keeps and self.stand < self.pages:
            count = self.pages - self.stand
            told = _("{count} pages cannot be had, so {file} stays; give another file")
            raise ExportError(told, file=self.keeps, count=count)

    def _lines(self) -> Iterator[Line]:
        with self.path.open(encoding="utf-8") as file:
            try:
                for line in map(json.loads, file):
                    if line.keys() >= PAGE:
                        yield line
                    self.sha256 = line["sha256"] if "pages" in line else ""
            except (ValueError, AttributeError) as error:
                raise _no_lock(self.path, error) from error
        if not self.sha256:
            raise _no_lock(self.path, EOFError("cut off"))

    @staticmethod
    def _kept(connection: Connection, lines: Sequence[Line]) -> dict[str, tuple[int, str | None, str]]:
        """What the database has of the pages, by address: row, text, and why that may not be had."""
        urls = [line["url"] for line in lines]
        row = select(pages.c.id, pages.c.url, pages.c.moved_from, pages.c.body)
        rows = connection.execute(row.where(or_(pages.c.url.in_(urls), pages.c.moved_from.in_(urls)))).all()
        refused = select(judgements.c.page_id, judgements.c.reason).where(
            judgements.c.page_id.in_([each.id for each in rows]),
            has_code(judgements.c.reason, Code.FORBIDDEN_TO_KEEP),
        )
        no = {row.page_id: row.reason for row in connection.execute(refused)}
        codec = reader(connection)
        found = {}
        for each in rows:
            text = codec.unpack_text(each.body) if each.body is not None else None
            for url in (each.moved_from, each.url):
                found[url] = (each.id, text, told(no[each.id]) if each.id in no else "")
        return found

    def _text(self, connection: Connection | None, line: Line, kept: tuple[int, str | None, str] | None) -> str:
        """Raises ArchiveError, or _Missing, where it cannot be had."""
        if kept and kept[2]:
            raise _Missing(kept[2])
        for text in _texts(connection, *kept[:2]) if kept and connection else ():
            if _of_text(text) == line["sha256"]:
                self.older += text != kept[1] if kept else 0
                return text
        texts = self._archived(line)
        for text in texts:
            if _of_text(text) == line["sha256"]:
                self.archived += 1
                return text
        if texts:
            raise _Missing(_("its archived page gives another text (extractor {name})", name=self.head["extractor"]))
        raise _Missing(_("its text has changed, and no older one is stored") if kept else _("it is no longer stored"))

    def _archived(self, line: Line) -> tuple[str, ...]:
        """The texts that a crawl may have found on the page; nothing where no archive holds the page."""
        folder = archive_at(self.settings["WARC_DIR"] or "")
        file, offset = line.get("warc", ("", 0))
        place = (folder / str(file)).resolve()
        if not self.settings["WARC_DIR"] or not place.is_file() or not place.is_relative_to(folder.resolve()):
            return ()
        markup = page_markup(response_at(folder, WarcPlace(file, offset, "")))
        text = self._extract(Page(markup, line["url"])).body if markup else ""
        return text, without_injected(text)

    @cached_property
    def _extract(self) -> Any:
        return extractor(self.head["extractor"].split()[0])


class _Missing(Exception):
    """A page that cannot be had again."""


def _texts(connection: Connection, page: int, newest: str | None) -> Iterator[str]:
    if newest is not None:
        yield newest
    older = select(versions.c.body).where(versions.c.page_id == page).order_by(versions.c.id.desc())
    yield from map(reader(connection).unpack_text, connection.execute(older).scalars())


def _of_text(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
