"""zhuti rejudge: judge a harvest again, for another or an edited topic, without fetching."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.archive.places import archive_at
from crawler.messages import _
from crawler.reader.text.printable import warn
from crawler.tell.command import CrawlerCommand


class Command(CrawlerCommand):
    usage = "TOPIC|FILE.toml [--from-warc DIR]"
    takes = (1,)
    summary = _("Judge a harvest again, for another or an edited topic, without fetching anything")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--from-warc",
            metavar="DIR",
            help=_("analyse all pages in these WARC files again; by default the stored bodies are judged"),
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from crawler.crawl.session import pool_of
        from crawler.topic.file_writer import known_topic
        from zhuti.rejudge.rejudge import rejudge

        topic = known_topic(args[0], Path(settings["TOPICS_DIR"]))
        archive = archive_at(opts.from_warc) if opts.from_warc else None
        pool = pool_of(settings)
        try:
            result = asyncio.run(rejudge(topic, archive, settings, pool))
        finally:
            pool.close()
        for sentence in result.torn:
            warn(sentence)
        print(result.told(topic.name))
        if result.without_text:
            print(
                _(
                    "{without_text} dropped pages could not be judged again, because only kept texts are"
                    " stored: crawl with -s WARC_DIR=DIR, which archives every response, then use"
                    " --from-warc DIR",
                    without_text=result.without_text,
                )
            )
        return 0
