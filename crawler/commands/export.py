"""scrapy export: a topic's kept pages, or its link graph, as a file."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import FrameType

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.bar import shown
from crawler.cli.command import INTERRUPTED, CrawlerCommand
from crawler.database.database import Database
from crawler.errors import ExportError
from crawler.store.export.corpus import WRITERS, export
from crawler.store.export.document import DEFAULT_FIELDS, FIELDS
from crawler.store.export.selection import Selection
from crawler.store.hosts import host_name


class Command(CrawlerCommand):
    def syntax(self) -> str:
        return "TOPIC OUT [options]"

    def short_desc(self) -> str:
        return "Write the pages kept for a topic, or its link graph, to a file"

    def long_desc(self) -> str:
        return (
            f"OUT must end in one of {', '.join(WRITERS)}, or in / for a folder of text files. Named graph.gexf,"
            " graph.graphml or links.csv it gets the link graph with ranks. A corpus comes with a data card, README.md."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        of = parser.add_argument_group("Which pages")
        of.add_argument(
            "--min-similarity", type=_similarity, default=0.0, metavar="S", help="at least this similar, from 0 to 1"
        )
        of.add_argument(
            "--since", type=_day, metavar="DAY", help="published, or if undated fetched, on this day or later"
        )
        of.add_argument("--until", type=_day, metavar="DAY", help="the same, on this day or earlier")
        of.add_argument(
            "--host", action="append", default=[], metavar="H", help="from this host or its subdomains; may be repeated"
        )
        of.add_argument(
            "--language", action="append", default=[], metavar="L", help="in this language, such as zh; may be repeated"
        )
        of.add_argument("--min-length", type=int, default=0, metavar="N", help="with a body of at least N characters")
        of.add_argument("--no-duplicates", action="store_true", help="only one page of each text")
        parser.add_argument(
            "--fields",
            default=",".join(DEFAULT_FIELDS),
            metavar="A,B",
            help=f"in this order, out of {', '.join(FIELDS)}",
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if len(args) != 2:
            raise UsageError("name a topic and a file: scrapy export TOPIC FILE.jsonl")
        from crawler.store.export.linkgraph import export_graph, is_graph  # networkx: not for every command

        topic, target = args
        selection = _selection(opts)
        with Database(settings["STORE_URL"], readonly=True) as database:
            try:
                with _ended_like_by_ctrl_c():
                    if is_graph(Path(target)):
                        if selection != Selection():
                            raise ExportError("a link graph is exported whole; leave out the options that choose pages")
                        told = f"{export_graph(database, topic, Path(target))} links"
                    else:
                        with shown("export") as progress:
                            fields = opts.fields.split(",")
                            told = f"{export(database, topic, target, selection, fields, progress)} pages"
            except KeyboardInterrupt:
                print(f"Stopped; {target} is as it was before.", file=sys.stderr)
                return INTERRUPTED
        print(f"{told} written to {target}")
        return 0


def _selection(opts: argparse.Namespace) -> Selection:
    return Selection(
        min_similarity=opts.min_similarity,
        since=opts.since,
        until=opts.until,
        hosts=tuple(host_name(host, ExportError) for entry in opts.host for host in entry.split(",")),
        languages=tuple(language.strip().lower() for entry in opts.language for language in entry.split(",")),
        min_length=opts.min_length,
        no_duplicates=opts.no_duplicates,
    )


def _similarity(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a similarity; write a number from 0 to 1, like 0.4")
    return value


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day; write one like 2026-01-31") from error


@contextmanager
def _ended_like_by_ctrl_c() -> Iterator[None]:
    """SIGTERM ends the export in order, too: it would leave a half file under a hidden name."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
