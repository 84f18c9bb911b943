"""zhuti export: a topic's kept pages, or its link graph, as a file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.document import DEFAULT_FIELDS, Document
from crawler.errors import ExportError
from crawler.exits import INTERRUPTED, ended_by_signals
from crawler.messages import _
from crawler.options import topic_name
from crawler.plugins import part
from crawler.reader.text.printable import to_stderr, warn
from crawler.tell.command import TEXT, CrawlerCommand, wants_markdown
from zhuti.export.options import CONSENT, GONE, MEDIA, PAGES, choose, is_shaped
from zhuti.whole_file import refuse_foreign, whole_file

if TYPE_CHECKING:
    from crawler.database.database import Database
    from zhuti.export.corpus import FromArchive
    from zhuti.export.lock import Lock, LockedCorpus
    from zhuti.export.selection import Selection

# Options that a Selection has under the same names.
SAME = ("min_similarity", "since", "until", "min_length", "no_duplicates", "fetched_since", "changed")

UNLOCKED = ("from", "lock", "overwrite", "rejected", "report")  # options that change no byte of a corpus


class Command(CrawlerCommand):
    usage = "TOPIC OUT [options], or [OUT] --from FILE"
    summary = _("Write the pages kept for a topic, or its link graph, to a file")

    def long_desc(self) -> str:
        from zhuti.export.corpus import WRITERS

        return _(
            "OUT must end in one of {writers}, or in / for a folder of text files. If it is called"
            " graph.gexf, graph.graphml or links.csv, it gets the link graph with ranks. A corpus comes"
            " with a data card, README.md.",
            writers=", ".join(WRITERS),
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.set_defaults(written=[], from_lock=None)
        others = len(parser._actions)
        choose(parser)
        self._own = parser._actions[others:]

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from zhuti.export.corpus import WRITERS

        names = args if len(args) > 1 else [*opts.written[: 2 - len(args)], *args]
        if len(names) != 2 or (names[0].endswith(endings := (*WRITERS, "/")) and not names[1].endswith(endings)):
            topic, target = reversed(names) if len(names) == 2 else ("TOPIC", "FILE.jsonl")
            usage = _("give the topic first, then the file: zhuti export {topic} {target}", topic=topic, target=target)
            raise UsageError(usage)
        from crawler.database.database import Database
        from zhuti.export.corpus import Shape

        topic, target = topic_name(names[0]), names[1]
        if opts.partition is not None and not (opts.lock or opts.from_lock):
            return _to_lake(topic, target, opts, settings)
        is_markdown = wants_markdown(opts, settings)
        media = [name for name in MEDIA if name in opts.more]
        archive = _archive(settings, is_markdown, media) if is_markdown or media else None
        report = None
        if opts.report:
            from zhuti.export.report import Report, check_place

            check_place(opts.report)
            report = Report(opts.decontaminate)
        has_markdown = is_markdown or settings["EXTRACTOR"] == "best-markdown"
        head = {"topic": topic, "out": target, "options": self._options(opts)}
        locked, noting = _locks(target, opts, settings, head, is_given=bool(args))
        opened = locked.harvest() if locked else Database(settings["STORE_URL"], readonly=True)
        with opened as database, noting as lock:
            selection = _selection(database, topic, opts)
            try:
                with ended_by_signals(_interrupt), _rejected(opts.rejected, opts.overwrite) as rejects:
                    shape = Shape()
                    if locked:
                        locked.rejects = rejects
                    if is_shaped(opts):
                        from zhuti.export.stages import Wishes, shape_of

                        with database.transaction(shared=True) if database else nullcontext() as connection:
                            wishes = Wishes(opts, Path(target), connection, topic, has_markdown, media, report)
                            shape = shape_of(wishes, rejects)
                    how = {"archive": archive, "shape": shape, "lock": lock, "locked": locked}
                    written = _write(database, topic, target, selection, opts, how)
            except KeyboardInterrupt:
                to_stderr(_("Stopped; {target} is unchanged.", target=target))
                return INTERRUPTED
            if lock:
                lock.end(Path(target))
        if report:
            report.write(opts.report, topic, Path(target).name)
        print(_("{written} written to {target}", written=written, target=target))
        return locked.compare(Path(target)) if locked else 0

    def _options(self, opts: argparse.Namespace) -> dict[str, Any]:
        """What decides about the bytes that are written, as a TOML file would give it."""
        given = {action.option_strings[-1][2:]: action for action in self._own}
        values = {name: getattr(opts, action.dest) for name, action in given.items() if name not in UNLOCKED}
        as_default = {name: action.default for name, action in given.items()}
        return {
            name: [str(one) for one in value] if isinstance(value, list) else value if value is True else str(value)
            for name, value in values.items()
            if value not in (None, [], as_default[name])
        }


def _locks(
    target: str, opts: argparse.Namespace, settings: BaseSettings, head: Mapping[str, Any], is_given: bool
) -> tuple[LockedCorpus | None, AbstractContextManager[Lock | None]]:
    """The lock that the pages come from, and the one that they are noted in. Raises ExportError."""
    if not (opts.lock or opts.from_lock):
        return None, nullcontext()
    if opts.since_run or opts.partition is not None:
        raise ExportError(_("an increment or a lake cannot have a lock; leave out --lock"))
    from zhuti.export.lock import LockedCorpus, locking

    keeps = target if opts.from_lock and not is_given and Path(target).exists() else ""
    locked = LockedCorpus(opts.from_lock, settings, keeps) if opts.from_lock else None
    return locked, locking(opts.lock, head, settings, opts.overwrite) if opts.lock else nullcontext()


@contextmanager
def _rejected(path: Path | None, overwrite: bool) -> Iterator[Callable[[Document, str, str], None] | None]:
    """What writes a line for each page that a stage leaves out; None where nobody asked for it."""
    if path is None:
        yield None
        return
    refuse_foreign(path, overwrite)
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", errors="replace", newline="\n") as file:

        def write(document: Document, stage: str, reason: str) -> None:
            told = {"url": document.url, "stage": stage, "reason": reason}
            file.write(json.dumps(told, ensure_ascii=False) + "\n")

        yield write


def _to_lake(topic: str, target: str, opts: argparse.Namespace, settings: BaseSettings) -> int:
    from crawler.database.database import Database
    from crawler.tell.progress import progress_bar
    from zhuti.export.selection import Selection

    export_lake = part("lake").export_lake
    with Database(settings["STORE_URL"], readonly=True) as database:
        selects = _selection(database, topic, opts) != Selection()
        if selects or opts.bom or opts.format != TEXT or is_shaped(opts) or opts.fields != ",".join(DEFAULT_FIELDS):
            raise ExportError(_("a lake is exported as a whole; leave out the other options, and choose by SQL"))
        try:
            with ended_by_signals(_interrupt), progress_bar(_("export")) as progress:
                result = export_lake(database, topic, target, opts.partition.split(","), progress)
        except KeyboardInterrupt:
            to_stderr(_("Stopped; what is written to {target} stays, and the next export goes on.", target=target))
            return INTERRUPTED
    if result.removed:
        left = {"count": len(result.removed), "name": result.removed[0]}
        warn(_("{count} incomplete files were removed, such as {name}", **left))
    if result.gone:
        print(_("{count} rows removed from {target}: no longer kept, or replaced", count=result.gone, target=target))
    print(_("{count} pages written to {target}", count=result.pages, target=target))
    return 0


def _selection(database: Database | None, topic: str, opts: argparse.Namespace) -> Selection:
    from crawler.questions.runs import run_named
    from crawler.store.names import host_name
    from zhuti.export.selection import Selection

    since = 0
    if opts.since_run and database:
        with database.transaction(shared=True) as connection:
            since = run_named(connection, topic, opts.since_run)[1].id
    return Selection(
        **{name: getattr(opts, name) for name in SAME},
        hosts=tuple(host_name(host, ExportError) for entry in opts.host for host in entry.split(",")),
        languages=tuple(language.strip().lower() for entry in opts.language for language in entry.split(",")),
        kinds=tuple(opts.kind),
        since_run=since,
        with_parts=PAGES in opts.more,
        with_gone=GONE in opts.more,
    )


def _archive(settings: BaseSettings, markdown: bool, media: list[str]) -> FromArchive:
    """Raises ExportError."""
    from zhuti.export.corpus import FromArchive

    if not settings["WARC_DIR"]:
        raise ExportError(
            _(
                "--format markdown and --with read the archived pages again: give the crawl's"
                " archive with -s WARC_DIR=DIR; without an archive, crawl again with WARC_DIR, or for Markdown with -s"
                " EXTRACTOR=best-markdown"
            )
        )
    return FromArchive(settings, markdown, media)


def _write(
    database: Database | None,
    topic: str,
    target: str,
    selection: Selection,
    opts: argparse.Namespace,
    how: Mapping[str, Any],
) -> str:
    """`how`: more arguments of `export`. Returns how much was written, in words."""
    from crawler.tell.progress import progress_bar
    from zhuti.export.corpus import export
    from zhuti.export.linkgraph import export_graph, is_graph
    from zhuti.export.selection import Selection

    archive = how["archive"]
    if is_graph(Path(target)):
        if selection != Selection() or archive or is_shaped(opts) or how["lock"] or database is None:
            raise ExportError(_("a link graph is exported as a whole; leave out the options that select pages"))
        return _("{count} links", count=export_graph(database, topic, Path(target), overwrite=opts.overwrite))
    with progress_bar(_("export")) as progress:
        fields = [*opts.fields.split(","), *([CONSENT] if CONSENT in opts.more else [])]
        number = export(
            database, topic, target, selection, fields, progress, bom=opts.bom, overwrite=opts.overwrite, **how
        )
    if archive and archive.as_stored:
        warn(_("{count} pages gave no body this time; their stored text is used", count=archive.as_stored))
    return _("{count} pieces", count=number) if opts.chunks else _("{count} pages", count=number)


def _interrupt() -> None:
    """SIGTERM ends the export like Ctrl-C does. Otherwise half a file would stay under a hidden name."""
    raise KeyboardInterrupt
