"""What a page or a server wrote, made safe to print: it must not steer the terminal."""

from __future__ import annotations

import sys


def printable(text: str) -> str:
    """One line: control characters, line breaks among them, become blanks."""
    return "".join(c if c.isprintable() else " " for c in text)


def for_terminal(text: str) -> str:
    """Many lines: `printable` line by line where stdout is a terminal, as they are for a file or a pipe."""
    return "\n".join(map(printable, text.split("\n"))) if sys.stdout.isatty() else text
