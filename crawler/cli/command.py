"""What the project's own commands share: a user's mistake is one sentence on stderr and a non-zero exit status."""

from __future__ import annotations

import argparse
import math
import os
import sys
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.numeric_settings import check_numbers
from crawler.errors import CrawlerError

MISTAKE = 2  # exit status of a user's mistake, as argparse's own
INTERRUPTED = 130  # exit status after Ctrl-C, as a shell's


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
        check_options(args)
        try:
            check_numbers(self.settings)
            self.exitcode = self.work(args, opts, self.settings)
            sys.stdout.flush()
        except CrawlerError as error:
            self.exitcode = tell(error)
        except KeyboardInterrupt:
            print("Stopped.", file=sys.stderr)
            self.exitcode = INTERRUPTED
        except BrokenPipeError:  # `| head` has read enough; at exit Python would write what is left, and complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    @abstractmethod
    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        """Returns the exit status; raises CrawlerError for what the user must fix."""


def check_options(args: Sequence[str]) -> None:
    """Raises UsageError for an option that the command does not know, which Scrapy hands on among the arguments."""
    for argument in args:
        if argument.startswith("--"):
            raise UsageError(f"there is no option {argument}; -h lists the options")


def not_negative(text: str) -> float:
    """Type of an argument that is a number from 0 on. Raises ArgumentTypeError, which argparse words for the user."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} cannot be used; give a number from 0 on")
    return value


def existing(path: str) -> Path:
    """Type of an argument that names a file or folder. Raises ArgumentTypeError, which argparse words for the user."""
    if not Path(path).exists():
        raise argparse.ArgumentTypeError(f"there is no file or folder {path!r}; check the spelling")
    return Path(path)
