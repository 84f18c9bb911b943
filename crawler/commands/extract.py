"""scrapy extract: body, title and time of saved pages."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.command import CrawlerCommand, tell
from crawler.errors import PageError
from crawler.extract.registry import extractor
from crawler.html.tree import parse
from crawler.records import Extraction
from crawler.text.charset import decode
from crawler.text.sniff import looks_like_html


class Command(CrawlerCommand):
    def syntax(self) -> str:
        return "PAGE.html [PAGE.html ...] [--jsonl]"

    def short_desc(self) -> str:
        return "Print body, title and time of saved HTML pages"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--jsonl", action="store_true", help="a JSON object a line instead of readable text")

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if not args:
            raise UsageError("name the pages to extract: scrapy extract PAGE.html")
        extract = extractor(settings["EXTRACTOR"])
        status = 0
        for name in args:
            try:
                markup = read_page(Path(name))
            except PageError as error:  # the other pages are extracted all the same
                status = tell(error)
            else:
                print(as_json(name, extract(parse(markup))) if opts.jsonl else as_text(name, extract(parse(markup))))
        return status


def read_page(path: Path) -> str:
    """Raises PageError for a file that cannot be read or is no HTML."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PageError(f"{path}: cannot read the page ({error.strerror}); name an HTML file") from error
    if not looks_like_html(content):
        raise PageError(f"{path}: this is no HTML page; name a file saved as HTML")
    return decode(content)[0]


def as_json(name: str, page: Extraction) -> str:
    record = {
        "id": Path(name).stem,
        "file": name,
        "title": page.title,
        "published": page.published,
        "body": page.body,
    }
    return json.dumps(record, ensure_ascii=False)


def as_text(name: str, page: Extraction) -> str:
    head = [f"== {name}", f"title:     {page.title}", f"published: {page.published or 'unknown'}"]
    return "\n".join([*head, "", page.body or f"(no body: {page.reason})", ""])
