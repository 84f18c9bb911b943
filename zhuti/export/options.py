"""The options of zhuti export, on the command line and in a file."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crawler.document import DEFAULT_FIELDS, FIELDS
from crawler.errors import ExportError
from crawler.messages import _
from crawler.options import Number, day
from crawler.tell.command import choose_format, choose_kinds

MASK, DROP, TELL = "mask", "drop", "tell"  # choices of --personal and --harmful
TESTS = ".jsonl, .json, .csv, .parquet, .txt"  # test_sets.ENDINGS
MEDIA, PAGES, GONE, CONSENT = ("links", "images"), "pages", "gone", "consent"
MORE = ("trace", *MEDIA, PAGES, GONE, CONSENT)  # choices of --with
CHUNK = 20  # tokens of the smallest size of pieces
BY = "host, day, language, kind"  # PARTITIONS of a lake


def choose(parser: argparse.ArgumentParser) -> None:
    """Adds them to the parser."""
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


def is_shaped(opts: argparse.Namespace) -> bool:
    """Whether the pages are to be written in another way than they are kept."""
    wishes = (opts.harmful, opts.personal, opts.licence, opts.chunks, opts.more, opts.decontaminate, opts.report)
    return any(wishes) or bool(opts.stage) or opts.quality is not None


def _more(text: str) -> list[str]:
    """Reads the value of `--with`. Raises ArgumentTypeError."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in MORE:
            told = _("unknown {name!r}; use one of {known}", name=name, known=", ".join(MORE))
            raise argparse.ArgumentTypeError(told)
    return names


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
