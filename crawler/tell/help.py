"""What --help prints and argparse says of wrong arguments, in the user's language."""

from __future__ import annotations

import argparse
import gettext
import os
from functools import partial
from typing import Any

from scrapy.settings import BaseSettings

from crawler.messages import DOMAIN, LANGUAGE, LOCALES, N_, _, translated

# The words of others, translated in our catalogue. Scrapy's, of the options that commands of ours have:
SCRAPYS = (
    N_("Global Options"),
    N_("log file. if omitted stderr will be used"),
    N_("disable logging completely"),
    N_("write python cProfile stats to FILE"),
    N_("write process ID to FILE"),
    N_("set/override setting (may be repeated)"),
    N_("enable pdb on failure (uses ipdb if installed)"),
    N_("set spider argument (may be repeated)"),
    N_(
        "append scraped items to the end of FILE (use - for stdout),"
        " to define format set a colon at the end of the output URI (i.e. -o FILE:FORMAT)"
    ),
    N_(
        "dump scraped items into FILE, overwriting any existing file,"
        " to define format set a colon at the end of the output URI (i.e. -O FILE:FORMAT)"
    ),
)
ARGPARSES = (  # which reads them by gettext
    N_("usage: "),
    N_("options"),
    N_("show this help message and exit"),
    N_("%(prog)s: error: %(message)s\n"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("expected one argument"),
    N_("expected at least one argument"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("ambiguous option: %(option)s could match %(matches)s"),
    N_("ignored explicit argument %r"),
)


class Formatter(argparse.HelpFormatter):
    """Scrapy's, where the user reads English: its headings are made for Latin letters."""

    def __init__(self, *args: Any, level: str, **kwargs: Any) -> None:
        """`level`: LOG_LEVEL, which Scrapy writes into a help."""
        super().__init__(*args, **kwargs)
        self._log_level = level

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and translated(heading))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if action.dest == "loglevel":
            return _("log level (default: {level})", level=self._log_level)
        return action.help and translated(action.help)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _wrapped(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in _wrapped(text, width - len(indent)))


def translate(parser: argparse.ArgumentParser, settings: BaseSettings | None) -> None:
    """Makes a parser speak the user's language, and call commands as the user does."""
    assert settings is not None
    if parser.usage:
        parser.usage = parser.usage.replace("scrapy", "zhuti", 1)
    gettext.bindtextdomain(DOMAIN, str(LOCALES))
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = LANGUAGE  # argparse asks gettext, which knows nothing of ZHUTI_LANG
    if LANGUAGE != "en":
        parser.formatter_class = partial(Formatter, level=settings["LOG_LEVEL"])
        parser.description = translated(parser.description or "")


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of this many columns; a Chinese letter takes two, and a line may end behind any of them."""
    from rich.console import Console
    from rich.text import Text

    return [line.plain.rstrip() for line in Text(text).wrap(Console(), width)]
