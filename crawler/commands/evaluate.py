"""scrapy evaluate: how good the extractors are on labelled pages."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.command import CrawlerCommand
from crawler.extract.registry import extractor
from crawler.study.extraction_evaluation import Evaluation, as_text, evaluate, own_tool
from crawler.study.extraction_floors import below, read_floors
from crawler.study.extraction_peers import peers
from crawler.study.labelled import labelled_pages

MISSED = 1  # exit status when a floor is missed


class Command(CrawlerCommand):
    def syntax(self) -> str:
        return "extraction --pages DIR [--extractor NAME ...] [--peers]"

    def short_desc(self) -> str:
        return "Measure body, title and time of the extractors on labelled pages"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--pages", type=Path, metavar="DIR", help="labelled pages: LANG/SET/truth.jsonl and html/ID.html"
        )
        parser.add_argument("--extractor", nargs="*", metavar="NAME", help="which extractors (default: EXTRACTOR)")
        parser.add_argument("--language", metavar="LANG", help="pages of this language only, such as zh")
        parser.add_argument("--peers", action="store_true", help="other tools beside ours (pip install '.[peers]')")
        parser.add_argument(
            "--floors", action="store_true", help="fail when a floor of benchmarks/floors.json is missed"
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if args != ["extraction"] or opts.pages is None:
            raise UsageError("say what to evaluate and on what: scrapy evaluate extraction --pages DIR")
        tools = {name: own_tool(extractor(name)) for name in opts.extractor or [settings["EXTRACTOR"]]}
        if opts.peers:
            tools |= peers()
        pages = [page for page in labelled_pages(opts.pages) if opts.language in (None, page.language)]
        evaluation = evaluate(pages, tools, tell=lambda line: print(line, file=sys.stderr, flush=True))
        print(as_text(evaluation))
        return missed(evaluation) if opts.floors else 0


def missed(evaluation: Evaluation) -> int:
    complaints = below(evaluation.rows, read_floors())
    for complaint in complaints:
        print(f"Error: {complaint}", file=sys.stderr)
    return MISSED if complaints else 0
