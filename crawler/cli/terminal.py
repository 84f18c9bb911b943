"""How text reaches the terminal. Text that a page or a server wrote must not control it."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path

COMMAND = re.compile(r"\bscrapy (?=[a-z])")


def printable(text: str) -> str:
    """One line: each control character, line breaks included, becomes a space."""
    return "".join(c if c.isprintable() else " " for c in text)


def for_terminal(text: str) -> str:
    """Keeps the lines. Each is made `printable` if stdout is a terminal; a file or a pipe gets it as it is."""
    return "\n".join(map(printable, text.split("\n"))) if sys.stdout.isatty() else text


def as_called(sentence: str) -> str:
    """The same with the commands in it as this user can give them: `zhuti export` where there is no project."""
    return COMMAND.sub("zhuti ", sentence) if is_zhuti() else sentence


def is_zhuti() -> bool:
    """Whether this program was called by that name, and not as `scrapy`."""
    return Path(sys.argv[0]).stem == "zhuti"


def minute(at: float) -> str:
    """The date and time of day of seconds since the epoch, UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


def to_stderr(line: str) -> None:
    """Prints a line at once."""
    print(line, file=sys.stderr, flush=True)


def warn(sentence: str) -> None:
    to_stderr(f"Warning: {printable(sentence)}")
