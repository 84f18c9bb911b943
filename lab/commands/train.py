"""scrapy train: what is in models/ made anew, from labelled pages or from a recorded web."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.command import CrawlerCommand
from crawler.errors import SettingError
from crawler.extract.default.model import MODEL
from crawler.topic.background import BACKGROUND

MISSED = 1  # exit status when a floor is missed


class Command(CrawlerCommand):
    def syntax(self) -> str:
        return "extraction --pages DIR | background --web DIR --labels FILE"

    def short_desc(self) -> str:
        return "Train the extraction models, or count how rare words are on the Web, for learning topics"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--models", type=Path, default=MODEL.parent, metavar="DIR", help="folder to write the models to"
        )
        extraction = parser.add_argument_group("extraction")
        extraction.add_argument(
            "--pages", type=Path, metavar="DIR", help="labelled pages, as LANG/SET/truth.jsonl and html/ID.html"
        )
        extraction.add_argument(
            "--no-scores", action="store_true", help="do not measure on sites left out of the training"
        )
        extraction.add_argument(
            "--floors",
            action="store_true",
            help="fail if a score on sites left out is below its floor in lab/benchmarks/floors.json",
        )
        extraction.add_argument("--no-papers", action="store_true", help="train the default extractor only")
        background = parser.add_argument_group("background")
        background.add_argument(
            "--web", type=Path, metavar="DIR", help="recorded web, in any form that scrapy replay takes"
        )
        background.add_argument(
            "--labels", type=Path, metavar="FILE", help="one JSON object per page and line, with url, kind and topics"
        )
        background.add_argument(
            "--aliases", type=Path, metavar="FILE", help="JSON file of other names of the recorded hosts"
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if args == ["extraction"] and opts.pages is not None:
            return _train_extraction(opts)
        if args == ["background"] and opts.web is not None and opts.labels is not None:
            return _train_background(opts)
        raise UsageError(
            "say what to train and from what: scrapy train extraction --pages DIR, or"
            " scrapy train background --web DIR --labels FILE"
        )


def _made(folder: Path) -> Path:
    """The folder, made where there is none. Raises SettingError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(
            f"--models: {folder} is not a folder and cannot be created ({error.strerror}); name another"
        ) from error
    return folder


def _train_extraction(opts: argparse.Namespace) -> int:
    from lab.extraction.floors import below, read_floors
    from lab.extraction.papers.train import FOLDS, train_papers  # scikit-learn takes 1 s: not for every command
    from lab.extraction.train import train_extraction

    trained = train_extraction(opts.pages, _made(opts.models) / MODEL.name, scores=not opts.no_scores, tell=tell)
    made = [trained.model, trained.card]
    if not opts.no_papers:
        tell("training the papers' extractors")
        made += train_papers(opts.pages, opts.models, folds=0 if opts.no_scores else FOLDS)
    for path in made:
        print(path)
    complaints = below(trained.rows, read_floors()) if opts.floors else []
    for complaint in complaints:
        tell(f"Error: {complaint}")
    return MISSED if complaints else 0


def _train_background(opts: argparse.Namespace) -> int:
    from lab.background import train_background
    from lab.links.labels import Labels
    from lab.links.recorded import RecordedWeb

    target = _made(opts.models) / BACKGROUND.name
    web = RecordedWeb.open(opts.web, opts.aliases)
    for path in train_background(web, Labels.load(opts.labels, {}), target, tell=tell):
        print(path)
    tell("topics learned before keep their words: remove their .learned.json files to learn them anew")
    return 0


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
