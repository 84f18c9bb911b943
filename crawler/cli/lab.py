"""Commands that measure and train. They live in `lab/`, which is part of the repository and not of the wheel."""

from __future__ import annotations

import argparse
import sys
from functools import cached_property
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import ClassVar

from scrapy.commands import ScrapyCommand

from crawler.cli.command import MISTAKE, CrawlerCommand


class LabCommand(ScrapyCommand):
    """Stands in `commands/` for a command of `lab/commands/`, which is imported when it is asked for."""

    requires_project = True
    requires_crawler_process = False
    name: ClassVar[str]
    description: ClassVar[str]

    @cached_property
    def _command(self) -> CrawlerCommand | None:
        if find_spec("lab") is None:
            return None
        command: CrawlerCommand = resolve_name(f"lab.commands.{self.name}:Command")()
        return command

    def syntax(self) -> str:
        return self._command.syntax() if self._command else ""

    def short_desc(self) -> str:
        return self.description

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        if self._command:
            self._command.settings = self.settings  # Scrapy gives them after it has asked for the syntax
            self._command.add_options(parser)
        else:
            super().add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)  # changes the settings, which are the command's, too

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if self._command:
            self._command.run(args, opts)
            self.exitcode = self._command.exitcode
            return
        print(
            f"Error: scrapy {self.name} is part of the project's laboratory, which is not installed with the program;"
            " call it in a checkout of the source repository",
            file=sys.stderr,
        )
        self.exitcode = MISTAKE
