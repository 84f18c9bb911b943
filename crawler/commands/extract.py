"""scrapy extract: body, title, time and keywords of saved pages."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.command import CrawlerCommand, print_error
from crawler.cli.terminal import for_terminal
from crawler.errors import ArchiveError, PageError

if TYPE_CHECKING:
    from crawler.records import Extraction


class Command(CrawlerCommand):
    usage = "PAGE.html|FILE.warc.gz|URL|- [...] [--jsonl]"
    summary = (
        "Print body, title, publish time and keywords of HTML pages: saved, in WARC files, at a URL, from stdin (-)"
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--jsonl", action="store_true", help="print one JSON object per line, not readable text")

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if not args:
            raise UsageError("name the pages to extract: scrapy extract PAGE.html, or a URL, or - for standard input")
        from crawler.cli.saved import pages_of
        from crawler.extract.keywords import keywords
        from crawler.extract.registry import extractor
        from crawler.html.page import Page

        extract = extractor(settings["EXTRACTOR"])
        status = 0
        for name in args:
            try:
                for url, markup in pages_of(name, settings):
                    page = Page(markup, url)
                    found = extract(page)
                    words = ", ".join(keywords(found, page))
                    if opts.jsonl:
                        print(_as_json(name, found, words, url))
                    else:
                        print(for_terminal(_as_text(url or name, found, words)))
            except (PageError, ArchiveError) as error:  # go on with the other files
                status = print_error(error)
        return status


def _as_json(name: str, found: Extraction, words: str, url: str) -> str:
    record = {
        "id": url or Path(name).stem,
        "file": name,
        "title": found.title,
        "published": found.published,
        "keywords": words,
        "body": found.body,
    }
    return json.dumps(record, ensure_ascii=False)


def _as_text(name: str, found: Extraction, words: str) -> str:
    head = [
        f"== {name}",
        f"title:     {found.title}",
        f"published: {found.published or 'unknown'}",
        f"keywords:  {words}",
    ]
    return "\n".join([*head, "", found.body or f"(no body: {found.reason})", ""])
