"""Publish times in plain scripts (not JSON-LD), which write them into the page when it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from crawler.reader.extract.time_candidates import parse_times
from crawler.reader.html.declared import is_json_ld
from crawler.reader.html.page import Page

MAX_SCRIPT = 200_000  # characters of a script that are searched
MOST_VALUES = 5  # values of a page looked at
VALUE = re.compile(r"""["']((?:19|20)\d\d[-/.年]\d[^"'<>]{3,28})["']""")
YEARS = ('"20', "'20", '"19', "'19")  # what a script with a date has; looked for first, as most have none
KEY = re.compile(r"publi[sc]|pub_?(?:date|time)|create_?time|ptime", re.IGNORECASE)
KEY_CHARS = 30  # characters before the value that hold its name


def script_time(page: Page) -> str | None:
    """Returns the time in ISO 8601 from values that are named for a publication; None if there is none, or if they are
    of several days, as on lists."""
    found = [parsed[0] for value in islice(_values(page), MOST_VALUES) if (parsed := parse_times(value))]
    return found[0][1] if len({day for day, *_ in found}) == 1 else None


def _values(page: Page) -> Iterator[str]:
    for script in page.tree.iter("script"):
        text = script.text
        if not text or is_json_ld(script) or not any(year in text for year in YEARS):
            continue
        for match in VALUE.finditer(text, 0, MAX_SCRIPT):
            if KEY.search(text, max(match.start() - KEY_CHARS, 0), match.start()):
                yield match[1]
