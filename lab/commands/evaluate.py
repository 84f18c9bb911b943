"""lab evaluate: how good the extractors are on labelled pages, and the link scorers on a recorded, labelled web."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.options import Number, index_file_kinds, retry_codes
from crawler.reader.text.printable import to_stderr
from crawler.tell.command import CrawlerCommand
from lab.links.starts import FEW, HOMES, SOME, STARTS

BUDGET = 1000
CACHE = Path("data/study")
DRAWS = {HOMES: 1, FEW: 3, SOME: 3}  # the home pages are the same in each draw, only their order changes


class Command(CrawlerCommand):
    usage = "extraction --pages DIR [--extractor NAME ...] | links --web DIR --labels FILE [--scorer NAME ...]"
    summary = "Measure the extractors on labelled pages, or the link scorers on a recorded web"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        _add_extraction_options(parser.add_argument_group("extraction"))
        _add_link_options(parser.add_argument_group("links"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if args == ["extraction"] and opts.pages is not None:
            return _extraction(opts, settings)
        if args == ["links"] and opts.web is not None and opts.labels is not None:
            return _links(opts, settings)
        raise UsageError(
            "say what to evaluate and on what: python -m lab evaluate extraction --pages DIR ..., or"
            " python -m lab evaluate links --web DIR --labels FILE"
        )


def _add_extraction_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--pages", type=Path, nargs="+", metavar="DIR", help="labelled pages, as LANG/SET/truth.jsonl and html/ID.html"
    )
    group.add_argument(
        "--leave-out",
        choices=("collection", "half"),
        help="measure each collection (SET), or half of its sites, by a 'best' that was trained on all others, and the"
        " mean over them",
    )
    group.add_argument(
        "--extractor", nargs="*", metavar="NAME", help="extractors to measure; by default that of EXTRACTOR"
    )
    group.add_argument("--language", metavar="LANG", help="only pages in this language, such as zh")
    group.add_argument("--peers", action="store_true", help="measure other tools, too (pip install '.[peers]')")
    group.add_argument(
        "--floors", action="store_true", help="fail if a score is below its floor in lab/benchmarks/floors.json"
    )


def _add_link_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--web", type=Path, metavar="DIR", help="recorded web, in any form that `lab replay` takes")
    group.add_argument(
        "--labels", type=Path, metavar="FILE", help="one JSON object per page and line, with url, kind and topics"
    )
    group.add_argument("--aliases", type=Path, metavar="FILE", help="JSON file of other names of the recorded hosts")
    group.add_argument(
        "--search",
        type=Path,
        metavar="FILE",
        help="as of `python -m lab replay`: let its sites be searched; FILE keeps their posts",
    )
    group.add_argument(
        "--hide-index",
        type=Number("share", whole=False, most=1),
        default=0.0,
        metavar="SHARE",
        help="as of `python -m lab replay`: share of its hosts that show no index file",
    )
    _add_many(group, "--map", "LABEL=TOPIC", "topics that go by another name in the labels")
    _add_many(
        group, "--scorer", "NAME", "link scorers to compare, 'oracle' or 'all'; by default that of LINK_SCORER and bfs"
    )
    _add_many(group, "--topics", "NAME", "topics to crawl for; by default all of TOPICS_DIR that the labels mention")
    group.add_argument("--no-tag-pages", action="store_true", help="leave pages of kind 'tag' out of the web")
    group.add_argument(
        "--seeds",
        choices=STARTS,
        default=HOMES,
        help="start from all home pages, from five mixed seeds, or from seven tenths of the home pages",
    )
    group.add_argument(
        "--draws",
        type=Number("draws", least=1),
        metavar="N",
        help="random draws of the seeds; by default 1 of homes, 3 of few and some",
    )
    pages = Number("pages", least=1)
    group.add_argument(
        "--budget", type=pages, default=BUDGET, metavar="N", help=f"pages per crawl, by default {BUDGET}"
    )
    seconds = Number("seconds", whole=False)
    group.add_argument(
        "--delay", type=seconds, default=0.0, metavar="S", help="simulated DOWNLOAD_DELAY in seconds, by default 0"
    )
    group.add_argument(
        "--cache", type=Path, default=CACHE, metavar="DIR", help=f"what later runs reuse, by default {CACHE}"
    )


def _add_many(group: argparse._ArgumentGroup, option: str, metavar: str, text: str) -> None:
    group.add_argument(option, action="extend", nargs="+", default=[], metavar=metavar, help=text)


def _extraction(opts: argparse.Namespace, settings: BaseSettings) -> int:
    from crawler.extractors import extractor
    from lab.extraction.evaluation import as_text, evaluate, own_tool
    from lab.extraction.floors import check_floors
    from lab.extraction.labelled import labelled_pages
    from lab.extraction.left_out import report
    from lab.extraction.peers import peers

    tools = {name: own_tool(extractor(name)) for name in opts.extractor or [settings["EXTRACTOR"]]}
    others = peers() if opts.peers else {}
    pages = labelled_pages(*opts.pages)
    if opts.leave_out:
        for line in report(pages, others, to_stderr, opts.leave_out):
            print(line, flush=True)
        return 0
    pages = [page for page in pages if opts.language in (None, page.language)]
    evaluation = evaluate(pages, tools | others, tell=to_stderr)
    print(as_text(evaluation))
    return check_floors(evaluation.rows) if opts.floors else 0


def _links(opts: argparse.Namespace, settings: BaseSettings) -> int:
    from lab.links.simulate import Pace
    from lab.links.study import Study, report  # SciPy takes a second: not for every command

    pace = Pace(
        budget=opts.budget,
        slots=settings.getint("CONCURRENT_REQUESTS"),
        hosts_at_once=settings.getint("HOSTS_AT_ONCE"),
        delay=opts.delay,
        per_host=settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
        patience=settings.getfloat("PATIENCE"),
        retries=settings.getint("RETRY_TIMES"),
        index_files=index_file_kinds(settings),
        retry_codes=retry_codes(settings),
    )
    study = Study(
        web=opts.web,
        labels=opts.labels,
        aliases=opts.aliases,
        search=opts.search,
        hide_index=opts.hide_index,
        names=opts.map,
        scorers=opts.scorer or [settings["LINK_SCORER"], "bfs"],
        topics=opts.topics,
        topics_dir=Path(settings["TOPICS_DIR"]),
        tag_pages=not opts.no_tag_pages,
        starts=opts.seeds,
        draws=opts.draws or DRAWS[opts.seeds],
        pace=pace,
        extractor=settings["EXTRACTOR"],
        agent=settings["USER_AGENT"],
        cache=opts.cache,
    )
    for line in report(study, to_stderr):
        print(line, flush=True)
    return 0
