"""zhuti mcp: the harvest for assistants."""

from __future__ import annotations

import argparse

from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.mistakes import needs
from crawler.tell.command import CrawlerCommand


class Command(CrawlerCommand):
    usage = "[--write]"
    takes = (0,)
    summary = _("Let an assistant read the harvest, by the Model Context Protocol")
    details = _(
        "Speaks the protocol over standard input and output: give the assistant this command. It can search, read pages"
        " and news and ask why a page was kept; with --write it can also label, block and boost, find seeds, write a"
        " topic and start a crawl with a budget."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--write",
            action="store_true",
            help=_("let it label, block and boost, find seeds, write topics and start crawls"),
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        with needs("mcp"):
            from zhuti.board.assistants import server
        server(settings, write=opts.write).run()
        return 0
