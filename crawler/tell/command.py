"""What the project's own commands share: a user's mistake is one sentence on stderr and a non-zero exit status.

Scrapy imports every module of `commands/` for each call, even for `scrapy --help`. So the top of such a module imports
only what is cheap, and `work` imports what does the work; `tests/commands/test_startup.py` checks this.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import json
import logging
import os
import sys
from abc import abstractmethod
from collections.abc import Container, Sequence
from datetime import UTC, datetime
from io import TextIOWrapper
from typing import ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from crawler.addon import complete, decide
from crawler.errors import CrawlerError, SettingError
from crawler.exits import INTERRUPTED, mute_scrapy, print_error
from crawler.messages import _
from crawler.options import check_addons, check_log, check_numbers, check_settings, check_switches, page_kinds
from crawler.reader.text.printable import to_stderr, without_controls
from crawler.records import PageKind
from crawler.tell.help import translate

TEXT, MARKDOWN = "text", "markdown"
SOME = range(1, sys.maxsize)  # arguments: at least one

# At exit Python looks for cycles among everything that was imported, a fifth of a short command's time. Here they need
# not be found.
atexit.register(gc.freeze)
# What a terminal has no letters for is written as an escape, on stdout as Python does it on stderr.
if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
    sys.stdout.reconfigure(errors="backslashreplace")


class CrawlerCommand(ScrapyCommand):
    """A command. A subclass writes `work` and says what is printed by --help."""

    usage: ClassVar[str] = ""  # its arguments
    takes: ClassVar[Container[int]] = range(sys.maxsize)  # how many of them
    summary: ClassVar[str] = ""  # one line
    details: ClassVar[str] = ""  # more than the summary, where there is more to say
    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        return self.usage

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        translate(parser, self.settings)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        if "STORE_URL" not in self.settings:  # another Scrapy project, whose command line finds ours by entry points
            complete(self.settings)
        check_early(self.settings)
        tell_other_store(self.settings)
        if self.requires_crawler_process and sys.stderr.isatty() and not self.settings["LOG_FILE"]:
            decide(self.settings, LOG_LEVEL="WARNING")  # the live line says how far the crawl is
        if self.settings["LOG_LEVEL"] != "DEBUG":
            mute_scrapy(True)
        log_as_json(self.settings)
        logging.setLogRecordFactory(SafeRecord)

    def short_desc(self) -> str:
        return self.summary

    def long_desc(self) -> str:
        return self.details or self.summary

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        check_options(args)
        if len(args) not in self.takes:
            raise UsageError(_("wrong number of arguments; give {usage}", usage=self.usage or "[options]"))
        try:
            check_settings(self.settings)
            self.exitcode = self.work(args, opts, self.settings)
            sys.stdout.flush()
        except CrawlerError as error:
            self.exitcode = print_error(error)
        except KeyboardInterrupt:
            print(_("Stopped."), file=sys.stderr)
            self.exitcode = INTERRUPTED
        except BrokenPipeError:  # `| head` has read enough; Python would write the rest at exit, and complain
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Exception:
            if (found := _of_the_harvest(self.settings)) is None:
                raise
            self.exitcode = print_error(found)

    @abstractmethod
    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        """Returns the exit status. Raises CrawlerError for what the user must correct."""


def _of_the_harvest(settings: BaseSettings) -> CrawlerError | None:
    """The sentence for an unexpected exception, where the harvest is to blame for it."""
    from crawler.database.database import damage

    return damage(settings["STORE_URL"])


def check_early(settings: BaseSettings) -> None:
    """Ends the program for a setting that Scrapy could not read either."""
    try:
        check_switches(settings)
        check_numbers(settings)
        check_log(settings)
        check_addons(settings)
    except SettingError as error:
        sys.exit(print_error(error))


def tell_other_store(settings: BaseSettings) -> None:
    """A sentence where the settings of a project name another database than the environment."""
    wished, used = os.environ.get("STORE_URL"), settings["STORE_URL"]
    is_told = (settings.getpriority("STORE_URL") or 0) >= SETTINGS_PRIORITIES["cmdline"]
    if wished and wished != used and not is_told:
        from crawler.database.database import hidden

        to_stderr(
            _(
                "The harvest is {used}, as settings.py says, not {wished} of the environment; for that one write"
                ' STORE_URL = os.environ.get("STORE_URL") or ... there.',
                used=hidden(used),
                wished=hidden(wished),
            )
        )


def check_options(args: Sequence[str]) -> None:
    """Raises UsageError for an option that the command does not know: Scrapy leaves it among the arguments."""
    for argument in args:
        if argument.startswith("--"):
            raise UsageError(_("unknown option {argument}; -h lists the options", argument=argument))


def choose_kinds(parser: argparse._ActionsContainer, text: str) -> None:
    """Adds `--kind`. `text`: its help, with `{kinds}` in it."""
    kinds = ", ".join(PageKind)
    parser.add_argument(
        "--kind", type=page_kinds, action="extend", default=[], metavar="K", help=text.format(kinds=kinds)
    )


def choose_format(parser: argparse._ActionsContainer, text: str) -> None:
    """Adds `--format`. `text`: its help."""
    parser.add_argument("--format", choices=(TEXT, MARKDOWN), default=TEXT, help=text)


def wants_markdown(opts: argparse.Namespace, settings: BaseSettings) -> bool:
    """Raises SettingError where the extractor that is set writes no Markdown."""
    if opts.format == MARKDOWN and settings["EXTRACTOR"] not in ("best", "best-markdown"):
        raise SettingError(
            _("--format markdown needs EXTRACTOR=best; {name_of} writes text only"), name_of=settings["EXTRACTOR"]
        )
    return bool(opts.format == MARKDOWN)


class SafeRecord(logging.LogRecord):
    """A line of the log, in which words of strangers cannot control a terminal."""

    def getMessage(self) -> str:
        return without_controls(super().getMessage())


class JsonFormatter(logging.Formatter):
    """Keys: time (ISO 8601, UTC), level, logger, message, process; exception where there is one, with its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {"time": at, "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        line: dict[str, object] = {**told, "process": record.process}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_as_json(settings: BaseSettings) -> None:
    """Logs JSON in place of Scrapy's lines of text. Called before the first line is logged."""
    if not settings.getbool("LOG_JSON") or not settings.getbool("LOG_ENABLED"):
        return
    name, mode = settings["LOG_FILE"], "a" if settings.getbool("LOG_FILE_APPEND") else "w"
    handler = logging.FileHandler(name, mode, settings["LOG_ENCODING"]) if name else logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.setLevel(settings["LOG_LEVEL"])
    logging.root.addHandler(handler)
    decide(settings, LOG_ENABLED=False)
