"""Commands that measure and train. They live in `lab/`, which is part of the repository and not of the wheel."""

from __future__ import annotations

import argparse
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

from scrapy.settings import BaseSettings

from crawler.cli.command import CrawlerCommand, print_error
from crawler.errors import SettingError
from crawler.messages import _


class LabModule(Protocol):
    """What a module of `lab/commands/` offers."""

    SYNTAX: str

    def add_options(self, parser: argparse.ArgumentParser) -> None: ...

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        """The same as CrawlerCommand.work."""


class LabCommand(CrawlerCommand):
    """Stands in `commands/` for the module of the same name in `lab/commands/`, and imports it when it is called."""

    @property
    def _name(self) -> str:
        return type(self).__module__.rpartition(".")[2]

    @cached_property
    def _lab(self) -> LabModule | None:
        return cast(LabModule, import_module(f"lab.commands.{self._name}")) if find_spec("lab") else None

    def syntax(self) -> str:
        return self._lab.SYNTAX if self._lab else ""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        if self._lab:
            self._lab.add_options(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if self._lab:
            super().run(args, opts)
            return
        missing = _("is part of the project's laboratory, which is not installed with the program")
        remedy = _("run it in a checkout of the source repository")
        self.exitcode = print_error(
            SettingError(_("scrapy {name} {missing}; {remedy}", name=self._name, missing=missing, remedy=remedy))
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        assert self._lab is not None
        try:
            return self._lab.work(args, opts, settings)
        except ModuleNotFoundError as error:
            needs = _("scrapy {name} needs {package}", name=self._name, package=error.name)
            raise SettingError(_("{needs}; pip install -e '.[lab]' in the checkout", needs=needs)) from error
