"""scrapy extract: body, title and time of saved pages."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.command import CrawlerCommand, tell
from crawler.cli.terminal import for_terminal
from crawler.errors import ArchiveError, PageError
from crawler.extract.registry import extractor
from crawler.html.page import Page
from crawler.records import Extraction
from crawler.store.warc.pages import page_markup
from crawler.store.warc.reader import ENDINGS, WarcFile
from crawler.text.charset import decode
from crawler.text.sniff import looks_like_html


class Command(CrawlerCommand):
    def syntax(self) -> str:
        return "PAGE.html|FILE.warc.gz [...] [--jsonl]"

    def short_desc(self) -> str:
        return "Print body, title and publish time of saved HTML pages, or of the pages in WARC files"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--jsonl", action="store_true", help="one JSON object per line instead of readable text")

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if not args:
            raise UsageError("name the pages to extract: scrapy extract PAGE.html")
        extract = extractor(settings["EXTRACTOR"])
        status = 0
        for name in args:
            try:
                for url, markup in pages_in(Path(name)):
                    page = extract(Page(markup, url))
                    print(as_json(name, page, url) if opts.jsonl else for_terminal(as_text(url or name, page)))
            except (PageError, ArchiveError) as error:  # the other files are extracted all the same
                status = tell(error)
        return status


def pages_in(path: Path) -> Iterator[tuple[str, str]]:
    """(address, markup) of the pages of a WARC file, or of the one page of an HTML file, which tells no address.

    Raises PageError, ArchiveError. Of a WARC file that is cut off, the whole pages come, then a sentence on stderr.
    """
    if not path.name.endswith(ENDINGS):
        yield "", read_page(path)
        return
    file = WarcFile(path)
    for stored in file.responses():
        if (markup := page_markup(stored)) is not None:
            yield stored.url, markup
    if file.torn:
        print(f"Warning: {file.torn}", file=sys.stderr)


def read_page(path: Path) -> str:
    """Raises PageError for a file that cannot be read or is no HTML."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PageError(f"{path}: cannot read the page ({error.strerror}); name an HTML file") from error
    if not looks_like_html(content):
        raise PageError(f"{path}: this is not an HTML page; name a file saved as HTML")
    return decode(content)[0]


def as_json(name: str, page: Extraction, url: str = "") -> str:
    record = {
        "id": url or Path(name).stem,
        "file": name,
        "title": page.title,
        "published": page.published,
        "body": page.body,
    }
    return json.dumps(record, ensure_ascii=False)


def as_text(name: str, page: Extraction) -> str:
    head = [f"== {name}", f"title:     {page.title}", f"published: {page.published or 'unknown'}"]
    return "\n".join([*head, "", page.body or f"(no body: {page.reason})", ""])
