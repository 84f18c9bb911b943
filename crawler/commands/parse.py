"""scrapy parse: Scrapy's own command, for other spiders than ours."""

from __future__ import annotations

import argparse

from scrapy.commands.parse import Command as ScrapyParse

from crawler.cli.command import print_error
from crawler.errors import SettingError


class Command(ScrapyParse):
    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.spider == "topic":
            remedy = "use `scrapy extract` on the saved page, or `scrapy why URL` after a crawl"
            self.exitcode = print_error(SettingError(f"the topic spider handles pages in a crawl only; {remedy}"))
            return
        super().run(args, opts)
