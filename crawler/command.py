"""What the project's own commands share: a user's mistake is one sentence on stderr and a non-zero exit status."""

from __future__ import annotations

import argparse
import sys
from abc import abstractmethod
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.settings import BaseSettings

from crawler.errors import CrawlerError
from crawler.numeric_settings import check_numbers

MISTAKE = 2  # exit status of a user's mistake, as argparse's own


def tell(error: CrawlerError) -> int:
    """Prints the sentence, returns the exit status."""
    print(f"Error: {error}", file=sys.stderr)
    return MISTAKE


class CrawlerCommand(ScrapyCommand):
    """A command that crawls nothing: subclasses write `work`."""

    requires_project = True
    requires_crawler_process = False

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        try:
            check_numbers(self.settings)
            self.exitcode = self.work(args, opts, self.settings)
        except CrawlerError as error:
            self.exitcode = tell(error)

    @abstractmethod
    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        """Returns the exit status; raises CrawlerError for what the user must mend."""


def existing(path: str) -> Path:
    """Type of an argument that names a file or folder. Raises ArgumentTypeError, which argparse words for the user."""
    if not Path(path).exists():
        raise argparse.ArgumentTypeError(f"there is no file or folder {path!r}; check the spelling")
    return Path(path)
