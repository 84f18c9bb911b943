"""python -m lab train: makes what is in models/ again, from labelled pages or from a recorded web."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.bundled import MODELS
from crawler.errors import SettingError
from crawler.reader.text.printable import to_stderr
from crawler.tell.command import CrawlerCommand


class Command(CrawlerCommand):
    usage = "extraction --pages DIR | background --web DIR --labels FILE | yardstick (the same)"
    summary = "Train the extraction models, or count how rare words are on the Web, for learning topics"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--models",
            type=Path,
            default=MODELS,
            metavar="DIR",
            help="folder to write the models to, by default models/",
        )
        extraction = parser.add_argument_group("extraction")
        extraction.add_argument(
            "--pages",
            type=Path,
            nargs="+",
            metavar="DIR",
            help="labelled pages, as LANG/SET/truth.jsonl and html/ID.html",
        )
        extraction.add_argument(
            "--foreign",
            type=Path,
            nargs="+",
            default=[],
            metavar="DIR",
            help="more pages: a second model that has seen them too reads the pages that are not Chinese",
        )
        extraction.add_argument(
            "--no-scores", action="store_true", help="do not measure on collections left out of the training"
        )
        extraction.add_argument(
            "--floors",
            action="store_true",
            help="fail if the mean over collections left out is below its floor in lab/benchmarks/floors.json",
        )
        extraction.add_argument("--no-papers", action="store_true", help="train the default extractor only")
        background = parser.add_argument_group("background")
        background.add_argument(
            "--web", type=Path, metavar="DIR", help="recorded web, in any form that `lab replay` takes"
        )
        background.add_argument(
            "--labels", type=Path, metavar="FILE", help="one JSON object per page and line, with url, kind and topics"
        )
        background.add_argument(
            "--map",
            nargs="+",
            default=[],
            metavar="LABEL=TOPIC",
            help="topics of the labels that topics/ names otherwise",
        )
        background.add_argument(
            "--aliases", type=Path, metavar="FILE", help="JSON file of other names of the recorded hosts"
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if args == ["extraction"] and opts.pages is not None:
            return _train_extraction(opts)
        if args == ["background"] and opts.web is not None and opts.labels is not None:
            return _train_background(opts)
        if args == ["yardstick"] and opts.web is not None and opts.labels is not None:
            return _train_yardstick(opts)
        raise UsageError(
            "say what to train and from what: python -m lab train extraction --pages DIR, or"
            " python -m lab train background --web DIR --labels FILE"
        )


def _train_extraction(opts: argparse.Namespace) -> int:
    from crawler.reader.extract.model import MODEL, foreign_path
    from lab.extraction.floors import check_floors
    from lab.extraction.labelled import labelled_pages
    from lab.extraction.left_out import means
    from lab.extraction.papers.train import FOLDS, train_papers
    from lab.extraction.train import train_extraction

    target, pages = _made(opts.models) / MODEL.name, labelled_pages(*opts.pages)
    trained = train_extraction(pages, target, scores=not opts.no_scores, tell=to_stderr)
    paths = [trained.model, trained.card]
    if opts.foreign:
        to_stderr("training for pages that are not Chinese")
        foreign = train_extraction(
            pages + labelled_pages(*opts.foreign), foreign_path(target), scores=False, tell=to_stderr
        )
        paths += [foreign.model, foreign.card]
    if not opts.no_papers:
        to_stderr("training the papers' extractors")
        paths += train_papers(pages, opts.models, folds=0 if opts.no_scores else FOLDS)
    for path in paths:
        print(path)
    return check_floors(means(trained.rows)) if opts.floors else 0


def _train_background(opts: argparse.Namespace) -> int:
    from crawler.topic.learn import BACKGROUND
    from lab.background import train_background
    from lab.links.labels import Labels
    from lab.links.recorded import RecordedWeb

    target = _made(opts.models) / BACKGROUND.name
    web = RecordedWeb.open(opts.web, opts.aliases)
    for path in train_background(web, Labels.load(opts.labels, {}), target, tell=to_stderr):
        print(path)
    to_stderr("topics learned before are learned again")
    return 0


def _train_yardstick(opts: argparse.Namespace) -> int:
    from crawler.topic.yardstick import YARDSTICK
    from lab.links.labels import Labels, pairs
    from lab.links.recorded import RecordedWeb
    from lab.yardstick import train_yardstick

    web, labels = RecordedWeb.open(opts.web, opts.aliases), Labels.load(opts.labels, pairs(opts.map))
    for path in train_yardstick(web, labels, _made(opts.models) / YARDSTICK.name, to_stderr):
        print(path)
    return 0


def _made(folder: Path) -> Path:
    """Makes the folder if it is not there, and returns it. Raises SettingError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(
            f"--models: {folder} is not a folder and cannot be created ({error.strerror}); name another"
        ) from error
    return folder
