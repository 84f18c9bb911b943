"""Pages made of what others wrote: escaped, and without power over text direction or controls."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from crawler.messages import _, spoken, translated
from crawler.reader.text.printable import legible, megabytes, minute, printable
from crawler.reasons import clause, told
from crawler.tell.progress import duration


def templates(folder: Path) -> Environment:
    """The templates of the folder and of this one, with the filters and words that all have."""
    found = Environment(
        loader=FileSystemLoader([folder, Path(__file__).parent]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_in_one_line,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "time": minute,
        "duration": duration,
        "megabytes": megabytes,
        "translated": translated,
        "told": told,
        "clause": clause,
        "legible": legible,
    }
    found.globals |= {"_": _, "spoken": spoken}
    return found


def _in_one_line(value: object) -> object:
    """Removes control and direction characters from untrusted text."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
