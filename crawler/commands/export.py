"""scrapy export: a topic's kept pages as a file."""

from __future__ import annotations

import argparse

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.command import CrawlerCommand
from crawler.frontier.database import Database
from crawler.store.export.corpus import export
from crawler.store.export.selection import Selection


class Command(CrawlerCommand):
    def syntax(self) -> str:
        return "TOPIC FILE.jsonl [--min-similarity S]"

    def short_desc(self) -> str:
        return "Write the pages kept for a topic to a file"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--min-similarity",
            type=float,
            default=0.0,
            metavar="S",
            help="only pages at least this similar to the topic, 0 to 1 (default: all that were kept)",
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if len(args) != 2:
            raise UsageError("name a topic and a file: scrapy export TOPIC FILE.jsonl")
        topic, target = args
        database = Database(settings["STORE_URL"], readonly=True)
        try:
            count = export(database, topic, target, Selection(min_similarity=opts.min_similarity))
        finally:
            database.close()
        print(f"{count} pages written to {target}")
        return 0
