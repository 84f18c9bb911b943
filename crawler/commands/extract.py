"""scrapy extract: body, title and time of saved pages."""

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
    def syntax(self) -> str:
        return "PAGE.html|FILE.warc.gz [...] [--jsonl]"

    def short_desc(self) -> str:
        return "Print body, title and publish time of saved HTML pages, or of the pages in WARC files"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--jsonl", action="store_true", help="print one JSON object per line, not readable text")

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if not args:
            raise UsageError("name the pages to extract: scrapy extract PAGE.html")
        from crawler.cli.saved import saved_pages
        from crawler.extract.registry import extractor
        from crawler.html.page import Page

        extract = extractor(settings["EXTRACTOR"])
        status = 0
        for name in args:
            try:
                for url, markup in saved_pages(Path(name)):
                    page = extract(Page(markup, url))
                    print(_as_json(name, page, url) if opts.jsonl else for_terminal(_as_text(url or name, page)))
            except (PageError, ArchiveError) as error:  # go on with the other files
                status = print_error(error)
        return status


def _as_json(name: str, page: Extraction, url: str) -> str:
    record = {
        "id": url or Path(name).stem,
        "file": name,
        "title": page.title,
        "published": page.published,
        "body": page.body,
    }
    return json.dumps(record, ensure_ascii=False)


def _as_text(name: str, page: Extraction) -> str:
    head = [f"== {name}", f"title:     {page.title}", f"published: {page.published or 'unknown'}"]
    return "\n".join([*head, "", page.body or f"(no body: {page.reason})", ""])
