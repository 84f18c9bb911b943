"""How text reaches the terminal. Text that a page or a server wrote must not control it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar
from unicodedata import category, east_asian_width, normalize
from urllib.parse import quote, unquote_to_bytes

from crawler.messages import _

K = TypeVar("K")
ESCAPES = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")  # of bytes beyond ASCII
EASTERN = re.compile(r"[0-9a-z\-\u3001-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+")
# But tab and line ends; with those that turn the direction of what follows.
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMULA = tuple("=+-@\t\r")  # how what a spreadsheet runs begins, also in full width or behind what cannot be seen
UNSEEN = ("Cf", "Zs", "Cc")  # Unicode categories: format characters, blanks, controls
MARKDOWN = re.compile(r"[|<>&`\[\]!*_\\]")


def without_controls(text: str) -> str:
    """Keeps tabs and lines. For files: of the rest, nothing is there to be read."""
    return CONTROLS.sub("", text)


def _is_formula(value: str) -> bool:
    seen = next((character for character in value if category(character) not in UNSEEN), "")
    return value.startswith(FORMULA) or normalize("NFKC", seen).startswith(FORMULA)


def harmless(row: Mapping[K, Any]) -> dict[K, Any]:
    """The row without control characters, and with an apostrophe before each text that a spreadsheet would run as a
    formula (CWE-1236)."""
    texts = {name: without_controls(value) for name, value in row.items() if isinstance(value, str)}
    return {**row, **{name: f"'{text}" if _is_formula(text) else text for name, text in texts.items()}}


def in_markdown(text: str) -> str:
    """The text as one line of Markdown that has no markup."""
    return MARKDOWN.sub(lambda sign: f"&#{ord(sign[0])};", printable(text))


def printable(text: str) -> str:
    """The text as one line: each control character, line breaks included, becomes a space."""
    return "".join(c if c.isprintable() else " " for c in text)


def legible(url: str) -> str:
    """A URL, or a host, for people: escapes and names that stand for Chinese, Japanese or Korean letters as these. They
    pass for no others, as letters of other scripts do for Latin ones; and `html.urls.canonical` brings the URL back."""
    scheme, mark, rest = url.partition("://") if "://" in url else ("", "", url)
    host, slash, path = rest.partition("/")
    host = ".".join(map(_label, host.split(".")))
    return f"{scheme}{mark}{host}{slash}{ESCAPES.sub(_letters, path)}"


def _label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        found = label.encode("ascii").decode("idna")
    except UnicodeError:
        return label
    return found if EASTERN.fullmatch(found) and found.encode("idna") == label.encode() else label


def _letters(escapes: re.Match[str]) -> str:
    try:
        found = unquote_to_bytes(escapes[0]).decode()
    except UnicodeDecodeError:
        return escapes[0]
    return "".join(c if EASTERN.fullmatch(c) else quote(c) for c in found)


def for_terminal(text: str) -> str:
    """Keeps the lines. Each is made `printable` if stdout is a terminal; a file or a pipe gets it as it is."""
    return "\n".join(map(printable, text.split("\n"))) if sys.stdout.isatty() else text


def json_line(record: Mapping[str, object]) -> str:
    """The record for a program: letters as they are where stdout is UTF, elsewhere as JSON's escapes."""
    return json.dumps(record, ensure_ascii=not (sys.stdout.encoding or "utf").lower().startswith("utf"))


def padded(text: str, width: int) -> str:
    """The text with blanks up to a width in columns of a terminal."""
    return text + " " * (width - columns_of(text))


def columns_of(text: str) -> int:
    """Columns of a terminal, where a Chinese letter takes two."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def minute(at: float) -> str:
    """The date and time of day of seconds since the epoch, UTC."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def to_stderr(line: str) -> None:
    """Prints a line at once."""
    print(line, file=sys.stderr, flush=True)


def warn(sentence: str) -> None:
    to_stderr(_("Warning: {sentence}", sentence=printable(sentence)))
