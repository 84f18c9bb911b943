"""python -m lab replay: a recorded web on one loopback port, for trials without a network."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.options import Number
from crawler.tell.command import CrawlerCommand
from lab.replay.server import open_replay, run

PORT = 8900


class Command(CrawlerCommand):
    usage = "DIR [--port N]"
    summary = "Serve a recorded web as an HTTP proxy on this machine"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        port = Number("0 takes any free one", most=65535)
        parser.add_argument(
            "--port", type=port, default=PORT, help=f"port to listen on, by default {PORT}; 0 takes any free one"
        )
        parser.add_argument(
            "--aliases", type=Path, metavar="FILE", help="JSON file of other names of the recorded hosts"
        )
        delay = Number("milliseconds", whole=False)
        parser.add_argument(
            "--delay-ms", type=delay, default=0.0, metavar="MS", help="milliseconds to wait before each answer"
        )
        parser.add_argument(
            "--ca-file",
            type=Path,
            metavar="FILE",
            help="where to write the certificate that clients must trust for https",
        )
        day = Number("days since the first", whole=False)
        parser.add_argument("--day", type=day, default=0.0, help="the day to begin with, of a web that changes")
        parser.add_argument("--store", type=Path, metavar="DIR", help="where to unpack a web that changes, once")
        parser.add_argument(
            "--search", type=Path, metavar="FILE", help="let its sites be searched; FILE keeps their posts, made once"
        )
        share = Number("share", whole=False, most=1)
        parser.add_argument(
            "--hide-index", type=share, default=0.0, metavar="SHARE", help="share of its hosts that show no index file"
        )
        parser.add_argument(
            "--without", type=Path, metavar="FILE", help="addresses of pages that are missing, one a line"
        )
        parser.add_argument(
            "--log", type=Path, metavar="FILE", help="where to write time, status and URL of every request"
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if len(args) != 1:
            raise UsageError("name one recorded web: python -m lab replay DIR --port 8900")
        replay = open_replay(
            Path(args[0]),
            port=opts.port,
            aliases=opts.aliases,
            delay=opts.delay_ms / 1000,
            log=opts.log,
            day=opts.day,
            store=opts.store,
            search=opts.search,
            hide_index=opts.hide_index,
            without=opts.without,
        )
        run(replay, opts.ca_file)
        return 0
