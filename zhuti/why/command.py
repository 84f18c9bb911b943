"""zhuti why: how a URL was found, what it scored and on what evidence, and what became of it."""

from __future__ import annotations

import argparse

from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.options import topic_name
from crawler.tell.command import CrawlerCommand


class Command(CrawlerCommand):
    usage = "URL [--topic T] [--quick]"
    takes = (1,)
    summary = _("Explain why a URL was kept, dropped or still waits, where it was found and how it was scored")
    details = _(
        "Explains what happened to a URL and why, which pages link to it and every score it had. The"
        " scores are computed by replaying the crawl's log up to the fetch of the URL, which takes as"
        " long as starting the crawl; --quick skips them."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--topic", metavar="T", help=_("only this topic; by default all topics that know the URL"))
        parser.add_argument(
            "--quick", action="store_true", help=_("skip what its similarity is made of, and the history of its scores")
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from zhuti.why.why_text import explain

        for piece in explain(args[0], topic_name(opts.topic) if opts.topic else None, settings, quick=opts.quick):
            print(piece, flush=True)
        return 0
