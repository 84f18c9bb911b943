"""How text reaches the terminal. Text that a page or a server wrote must not control it."""

from __future__ import annotations

import sys


def printable(text: str) -> str:
    """One line: each control character, line breaks included, becomes a space."""
    return "".join(c if c.isprintable() else " " for c in text)


def for_terminal(text: str) -> str:
    """Keeps the lines. Each is made `printable` if stdout is a terminal; a file or a pipe gets it as it is."""
    return "\n".join(map(printable, text.split("\n"))) if sys.stdout.isatty() else text


def to_stderr(line: str) -> None:
    """Prints a line at once."""
    print(line, file=sys.stderr, flush=True)


def warn(sentence: str) -> None:
    to_stderr(f"Warning: {printable(sentence)}")
