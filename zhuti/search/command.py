"""zhuti search: the stored pages that contain some words."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.options import Number, topic_name
from crawler.reader.text.printable import json_line, legible, printable, to_stderr
from crawler.tell.command import SOME, CrawlerCommand

if TYPE_CHECKING:
    from zhuti.search.query import Hit, Marked

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
NOTHING = 1  # exit status if nothing was found, like grep's


class Command(CrawlerCommand):
    usage = "WORDS [--topic T] [--limit N] [--jsonl]"
    takes = SOME
    summary = _("Search the bodies of the stored pages")
    details = _(
        'Prints the pages that contain all the words, best first; "words in quotation marks" must'
        " stand together. The index lies beside the harvest, or in REPORTS_DIR for a harvest on a"
        " server. It is updated before each search, so the first search of a large harvest takes"
        " some minutes."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from zhuti.search.beside import LIMIT

        super().add_options(parser)
        parser.add_argument("--topic", metavar="T", help=_("only pages kept for this topic"))
        hits = Number(_("hits"), least=1)
        parser.add_argument(
            "--limit",
            type=hits,
            default=LIMIT,
            metavar="N",
            help=_("show at most N hits; default {limit}", limit=LIMIT),
        )
        parser.add_argument("--jsonl", action="store_true", help=_("print one JSON object per line, not readable text"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from crawler.database.database import Database
        from crawler.tell.progress import progress_bar
        from zhuti.search.beside import open_index

        url, topic = settings["STORE_URL"], topic_name(opts.topic) if opts.topic else None
        with Database(url, readonly=True) as database:
            index = open_index(url, Path(settings["REPORTS_DIR"]))
            from zhuti.search.query import search, update  # Tantivy, which `open_index` has found

            with progress_bar(_("index")) as progress:
                update(database, index, progress)
            hits = search(database, index, " ".join(args), topic=topic, limit=opts.limit)
        for number, hit in enumerate(hits, start=1):
            print(_as_json(hit) if opts.jsonl else _as_text(number, hit))
        if not hits:
            to_stderr(_("Nothing found."))
        return 0 if hits else NOTHING


def _as_text(number: int, hit: Hit) -> str:
    day = (hit.published or datetime.fromtimestamp(hit.fetched_at, UTC).isoformat())[:10]
    return f"{number}. {_painted(hit.title)}\n   {legible(hit.url)}\n   {day}  {_painted(hit.snippet)}\n"


def _painted(text: Marked) -> str:
    """The marked parts are bold on a terminal."""
    safe = replace(text, text=printable(text.text))
    return safe.painted(BOLD, PLAIN) if sys.stdout.isatty() else safe.text


def _as_json(hit: Hit) -> str:
    record = {
        "url": hit.url,
        "title": hit.title.text,
        "snippet": hit.snippet.text,
        "marks": hit.snippet.marks,
        "score": round(hit.score, 4),
        "published": hit.published,
    }
    return json_line(record)
