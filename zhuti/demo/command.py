"""zhuti demo: a first harvest without a network."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.errors import SettingError
from crawler.messages import _
from crawler.options import Number
from crawler.tell.command import CrawlerCommand

FOLDER = "zhuti-demo"
PORT = 8118


class Command(CrawlerCommand):
    requires_project = False
    usage = f"[FOLDER={FOLDER}] [--serve]"
    takes = (0, 1)
    summary = _("Crawl a web of some thousand pages that this program brings along: no network is needed")
    details = _(
        "Makes the project FOLDER with a topic and seeds, serves the demo web on this machine, crawls it and exports"
        " what was kept. All other commands can be tried in FOLDER. With --serve the demo web is served until Ctrl-C,"
        " for crawls of your own."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--serve", action="store_true", help=_("serve the demo web, and crawl nothing"))
        port = Number(_("ports"), least=0)
        parser.add_argument("--port", type=port, metavar="N", help=_("the same, there; default {port}", port=PORT))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from zhuti.demo.demo import TOPIC, Demo

        demo = Demo(Path(args[0] if args else FOLDER))
        shown = shlex.quote(str(Path(args[0] if args else FOLDER)))
        print(_("{pages} pages of the demo web are in {folder}.", pages=demo.pages, folder=shown), flush=True)
        if opts.serve or opts.port is not None:
            return _serve(demo.folder, PORT if opts.port is None else int(opts.port))
        if status := demo.crawl():
            return status
        print(_("\nThe pages most similar to the topic:"), *demo.shown(), sep="\n")
        print(
            _(
                "\nTry the other commands there:\n  cd {folder}\n  zhuti label {topic}\n  zhuti serve",
                folder=shown,
                topic=TOPIC,
            )
        )
        return 0


def _serve(folder: Path, port: int) -> int:
    """Serves the demo web until Ctrl-C."""
    from threading import Event

    from zhuti.demo.demo import TOPIC, WEB
    from zhuti.demo.proxy import served

    try:
        with served(folder / WEB, port) as proxy:
            print(
                _(
                    "The demo web is served. In another terminal:\n  export http_proxy={proxy} https_proxy={proxy}"
                    " no_proxy=127.0.0.1,localhost\n  cd {folder}\n  zhuti crawl topic -a topic={topic}"
                    "\nCtrl-C ends it.",
                    topic=TOPIC,
                    proxy=proxy,
                    folder=shlex.quote(str(folder)),
                ),
                flush=True,
            )
            Event().wait()
    except OSError as error:
        raise SettingError(
            _("port {port} cannot be had ({error}); give another --port"), port=port, error=error
        ) from error
    return 0
