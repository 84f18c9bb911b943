"""zhuti export: a topic's kept pages, or its link graph, as a file."""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.document import DEFAULT_FIELDS, FIELDS, Document
from crawler.errors import ExportError
from crawler.exits import INTERRUPTED, ended_by_signals
from crawler.messages import _
from crawler.options import Number, day, topic_name
from crawler.plugins import part
from crawler.reader.text.printable import to_stderr, warn
from crawler.tell.command import TEXT, CrawlerCommand, choose_format, choose_kinds, wants_markdown
from zhuti.whole_file import refuse_foreign, whole_file

if TYPE_CHECKING:
    from crawler.database.database import Database
    from zhuti.export.corpus import FromArchive
    from zhuti.export.lock import Again, Lock
    from zhuti.export.report import Report
    from zhuti.export.selection import Selection

# Options that a Selection has under the same names.
SAME = ("min_similarity", "since", "until", "min_length", "no_duplicates", "fetched_since", "changed")

MASK, DROP, TELL = "mask", "drop", "tell"  # choices of --personal and --harmful

TESTS = ".jsonl, .json, .csv, .parquet, .txt"  # test_sets.ENDINGS
MEDIA, PAGES, GONE, CONSENT = ("links", "images"), "pages", "gone", "consent"
MORE = ("trace", *MEDIA, PAGES, GONE, CONSENT)  # choices of --with
CHUNK = 20  # tokens of the smallest size of pieces
UNLOCKED = ("from", "lock", "overwrite", "rejected", "report")  # options that change no byte of a corpus
BY = "host, day, language, kind"  # PARTITIONS of a lake


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
        parser.add_argument(
            "--from",
            action=FromFile,
            metavar="FILE",
            help=_(
                "topic, out and options of a TOML file; the command line is stronger. Of a lock: makes its corpus"
                " again, from the database and WARC_DIR, and tells which pages are missing"
            ),
        )
        parser.add_argument(
            "--lock", type=Path, metavar="FILE", help=_("also write FILE, from which --from makes the corpus again")
        )
        _choose_pages(parser.add_argument_group(_("Which pages")))
        _choose_form(parser)
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
        report = _report(opts.report, opts.decontaminate)
        has_markdown = is_markdown or settings["EXTRACTOR"] == "best-markdown"
        head = {"topic": topic, "out": target, "options": self._options(opts)}
        again, noting = _locks(target, opts, settings, head, is_given=bool(args))
        opened = again.harvest() if again else Database(settings["STORE_URL"], readonly=True)
        with opened as database, noting as lock:
            selection = _selection(database, topic, opts)
            try:
                with ended_by_signals(_interrupt), _rejected(opts.rejected, opts.overwrite) as rejects:
                    shape = Shape()
                    if again:
                        again.rejects = rejects
                    if _is_shaped(opts):
                        from zhuti.export.stages import Wishes, shape_of

                        with database.transaction(shared=True) if database else nullcontext() as connection:
                            wishes = Wishes(opts, Path(target), connection, topic, has_markdown, media, report)
                            shape = shape_of(wishes, rejects)
                    how = {"archive": archive, "shape": shape, "lock": lock, "again": again}
                    written = _write(database, topic, target, selection, opts, how)
            except KeyboardInterrupt:
                to_stderr(_("Stopped; {target} is unchanged.", target=target))
                return INTERRUPTED
            if lock:
                lock.end(Path(target))
        if report:
            report.write(opts.report, topic, Path(target).name)
        print(_("{written} written to {target}", written=written, target=target))
        return again.compare(Path(target)) if again else 0

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
) -> tuple[Again | None, AbstractContextManager[Lock | None]]:
    """The lock that the pages come from, and the one that they are noted in. Raises ExportError."""
    if not (opts.lock or opts.from_lock):
        return None, nullcontext()
    if opts.since_run or opts.partition is not None:
        raise ExportError(_("an increment or a lake cannot have a lock; leave out --lock"))
    from zhuti.export.lock import Again, locking

    keeps = target if opts.from_lock and not is_given and Path(target).exists() else ""
    again = Again(opts.from_lock, settings, keeps) if opts.from_lock else None
    return again, locking(opts.lock, head, settings, opts.overwrite) if opts.lock else nullcontext()


class FromFile(argparse.Action):
    """Takes the options of a TOML file or of a lock for those that the command line does not give."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, _option: object = None
    ) -> None:
        given = self._read(parser, namespace, Path(str(values)))
        setattr(namespace, self.dest, Path(str(values)))
        namespace.written = [str(given.pop(name)) for name in ("topic", "out") if name in given]
        words = [f"--{name}={one}" if one is not True else f"--{name}" for name, one in _given(given)]
        own = {option for action in parser._actions for option in action.option_strings} - {"--from"}
        if unknown := [f"--{name}" for name, _one in _given(given) if f"--{name}" not in own]:
            parser.error(_("{path}: {name} is not an option of zhuti export", path=values, name=unknown[0]))
        found = parser.parse_args(words, argparse.Namespace())
        for name, value in vars(found).items():
            if name != "written" and getattr(namespace, name, None) in (None, parser.get_default(name)):
                setattr(namespace, name, value)

    def _read(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, path: Path) -> dict[str, Any]:
        from zhuti.export.lock import head_of

        try:
            text = path.read_text(encoding="utf-8-sig")
            if not text.startswith("{"):  # as a TOML file never does
                return tomllib.loads(text)
            head, namespace.from_lock = head_of(path), path
            return {"topic": head["topic"], "out": head["out"], **head["options"]}
        except ExportError as error:
            parser.error(str(error))
        except (OSError, ValueError, RecursionError) as error:
            parser.error(_("{path} cannot be read ({error}); give a TOML file", path=path, error=error))


def _given(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each option with each of its values; what is false is not given."""
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not False:
                yield name.replace("_", "-"), one


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


def _choose_pages(pages: argparse._ArgumentGroup) -> None:
    similarity = Number(_("a similarity like 0.4"), most=1, whole=False)
    pages.add_argument(
        "--min-similarity", type=similarity, default=0.0, metavar="S", help=_("at least this similar, from 0 to 1")
    )
    for name, text in (
        ("--since", _("published, or if undated fetched, on this day or later")),
        ("--until", _("published, or if undated fetched, on this day or earlier")),
        ("--fetched-since", _("fetched on this day or later")),
    ):
        pages.add_argument(name, type=day, metavar="DAY", help=text)
    for name, text in (
        ("--host", _("from this host or its subdomains; may be repeated")),
        ("--language", _("in this language, such as zh; may be repeated")),
    ):
        pages.add_argument(name, action="append", default=[], metavar=name[2].upper(), help=text)
    choose_kinds(pages, _("of this kind: {kinds}; may be repeated"))
    length = Number(_("characters"))
    pages.add_argument("--min-length", type=length, default=0, metavar="N", help=_("with a body at least this long"))
    pages.add_argument(
        "--since-run", metavar="ID", help=_("changed since this run, each with `why`; `last`: the last run")
    )
    pages.add_argument(
        "--changed", action="store_true", help=_("whose text or address has changed, ever or since the run")
    )
    pages.add_argument("--no-duplicates", action="store_true", help=_("only one page of each group with the same text"))
    pages.add_argument(
        "--licence",
        action="extend",
        type=lambda text: [name for name in text.split(",") if name.strip()],
        default=[],
        metavar="A,B",
        help=_("with no other licence than these, such as cc-by,cc0 or cc-by-4.0; the credits are written beside OUT"),
    )
    pages.add_argument(
        "--decontaminate",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help=_("without an item of this test set ({endings}); may be repeated", endings=TESTS),
    )
    pages.add_argument(
        "--quality",
        type=Number(_("a quality like 0.5"), most=1, whole=False),
        metavar="LEAST",
        help=_("of at least this quality, how much a reader can learn, from 0 to 1; 0 only adds the value"),
    )
    pages.add_argument(
        "--harmful",
        choices=(DROP, TELL),
        help=_("pages of gambling, pornography and the like, by their words: leave them out, or only tell them"),
    )


def _choose_form(parser: argparse.ArgumentParser) -> None:
    """How they are written, and what beside them."""
    parser.add_argument(
        "--personal",
        choices=(MASK, TELL),
        help=_(
            "put [mail], [phone], [identity], [card] in place of mail addresses, telephone, identity and card"
            " numbers, or only count them"
        ),
    )
    parser.add_argument(
        "--with",
        dest="more",
        action="extend",
        type=_more,
        default=[],
        metavar="A,B",
        help=_(
            "more fields: {names}. Links and images are found in the pages in WARC_DIR; with --format markdown,"
            " images also stand between the parts of the text. With pages, the pages of a thread or an article are one"
            " record. With gone, pages that are gone come too, with the time",
            names=", ".join(MORE),
        ),
    )
    parser.add_argument(
        "--chunks",
        type=Number(_("tokens"), least=CHUNK),
        metavar="N",
        help=_(
            "cut pages at headings and between paragraphs into pieces of at most N tokens: Chinese characters, and"
            " words of other scripts"
        ),
    )
    choose_format(
        parser, _("format of the bodies: text as stored, or Markdown, extracted again from the pages in WARC_DIR")
    )
    parser.add_argument(
        "--partition",
        metavar="A,B",
        help=_("OUT is a lake: a folder of Parquet files, in folders by {names}; writes what has changed", names=BY),
    )
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help=_(
            "also write FILE.html, a page with numbers, charts and a sample to read; with --decontaminate also how well"
            " the corpus predicts the test sets"
        ),
    )
    parser.add_argument(
        "--stage",
        action="append",
        default=[],
        metavar="NAME",
        help=_("pages also go through this stage of an installed package; may be repeated"),
    )
    parser.add_argument(
        "--rejected",
        type=Path,
        metavar="FILE",
        help=_("write the pages that stages leave out, with stage and reason, to FILE.jsonl"),
    )
    parser.add_argument("--overwrite", action="store_true", help=_("replace the file even if no export wrote it"))
    parser.add_argument("--bom", action="store_true", help=_("CSV with a byte order mark, for Excel"))
    parser.add_argument(
        "--fields",
        default=",".join(DEFAULT_FIELDS),
        metavar="A,B",
        help=_("fields to write, in this order; choose from {fields}", fields=", ".join(FIELDS)),
    )


def _to_lake(topic: str, target: str, opts: argparse.Namespace, settings: BaseSettings) -> int:
    from crawler.database.database import Database
    from crawler.tell.progress import progress_bar
    from zhuti.export.selection import Selection

    export_lake = part("lake").export_lake
    with Database(settings["STORE_URL"], readonly=True) as database:
        selects = _selection(database, topic, opts) != Selection()
        if selects or opts.bom or opts.format != TEXT or _is_shaped(opts) or opts.fields != ",".join(DEFAULT_FIELDS):
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


def _more(text: str) -> list[str]:
    """Reads the value of `--with`. Raises ArgumentTypeError."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in MORE:
            told = _("unknown {name!r}; use one of {known}", name=name, known=", ".join(MORE))
            raise argparse.ArgumentTypeError(told)
    return names


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
        if selection != Selection() or archive or _is_shaped(opts) or how["lock"] or database is None:
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


def _report(path: Path | None, held_out: list[Path]) -> Report | None:
    """Raises ExportError for another ending, a file that no export has written, or a package that is missing."""
    if path is None:
        return None
    from zhuti.export.report import Report, check_place

    check_place(path)
    return Report(held_out)


def _is_shaped(opts: argparse.Namespace) -> bool:
    """Whether the pages are to be written in another way than they are kept."""
    wishes = (opts.harmful, opts.personal, opts.licence, opts.chunks, opts.more, opts.decontaminate, opts.report)
    return any(wishes) or bool(opts.stage) or opts.quality is not None


def _interrupt() -> None:
    """SIGTERM ends the export like Ctrl-C does. Otherwise half a file would stay under a hidden name."""
    raise KeyboardInterrupt
