"""zhuti sql: SQL over a harvest and lakes."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.reader.text.printable import columns_of, harmless, json_line, padded, printable, warn
from crawler.tell.command import CrawlerCommand

WIDEST = 60  # characters of a value in the readable table
LOOKED_AT = 1_000  # rows by which the widths of its columns are set
BINARY = (bytes, bytearray, memoryview)


class Command(CrawlerCommand):
    usage = '"SELECT ..." [--lake FOLDER]'
    takes = (1,)
    summary = _("Ask a harvest, or a lake of Parquet files, in SQL")
    details = _(
        "Tables of the harvest: pages (kept pages of all topics), texts (their bodies), topics, urls, hosts,"
        " fetches, judgements, runs, labels, steers, visits, versions. With --lake: lake, and any Parquet"
        " file by its name in quotation marks. Nothing is changed in the harvest."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--lake",
            action="append",
            default=[],
            metavar="FOLDER",
            help=_("a folder of Parquet files, also s3://...; may be repeated, all are the table lake"),
        )
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--jsonl", action="store_true", help=_("print one JSON object per line, not readable text"))
        form.add_argument("--csv", action="store_true", help=_("print CSV with a header, not readable text"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from crawler.database.database import Database
        from zhuti.corpus.sql import asked

        opened = partial(Database, settings["STORE_URL"], readonly=True)
        with asked(args[0], opened, opts.lake, warn) as answer:
            if opts.csv:
                writer = csv.writer(sys.stdout, lineterminator="\n")
                writer.writerow(answer.columns)
                writer.writerows(harmless(dict(enumerate(map(_plain, row)))).values() for row in answer.rows)
            elif opts.jsonl:
                for row in answer.rows:
                    print(json_line(dict(zip(answer.columns, map(_value, row), strict=True))))
            else:
                for line in _table(answer.columns, answer.rows):
                    print(line)
        return 0


def _value(value: Any) -> Any:
    """A value as JSON has it: bytes in hexadecimal, times as text."""
    if isinstance(value, BINARY):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {str(name): _value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_value(inner) for inner in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _plain(value: Any) -> Any:
    return _value(value) if isinstance(value, BINARY) else value


def _table(columns: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> Iterator[str]:
    """Columns as wide as the first rows need."""
    head = [list(columns), *([_shown(value) for value in row] for row in islice(rows, LOOKED_AT))]
    widths = [max(columns_of(row[place]) for row in head) for place in range(len(columns))]
    for row in chain(head, ([_shown(value) for value in row] for row in rows)):
        yield "  ".join(padded(value, width) for value, width in zip(row, widths, strict=True)).rstrip()


def _shown(value: Any) -> str:
    text = " ".join(printable(str("" if value is None else _value(value))).split())
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"
