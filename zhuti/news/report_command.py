"""zhuti report: the report of a run, as one HTML file."""

from __future__ import annotations

import argparse

from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.tell.command import CrawlerCommand


class Command(CrawlerCommand):
    usage = "TOPIC [--run ID]"
    takes = (1,)
    summary = _("Write the report of a run: one HTML file that needs no network")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--run", default="last", metavar="ID", help=_("report of this run; by default the last run")
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from crawler.database.database import Database
        from zhuti.news.run_report import write_report

        with Database(settings["STORE_URL"], readonly=True) as database:
            print(write_report(database, args[0], settings, opts.run))
        return 0
