"""The text of a page whose markup has none, because scripts write it, as the page itself carries it: `articleBody` of
JSON-LD, or the data and states of Next.js, Nuxt, Vue, Redux, Apollo and their likes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from crawler.reader.html.declared import is_json_ld
from crawler.reader.html.page import Page
from crawler.reader.text.measures import char_len

MAX_SCRIPT = 2_000_000  # characters of a script that is read
MAX_VALUES = 100_000  # of a script that are looked at
MIN_STORY = 100  # characters: less is a description
KEYS = re.compile(r"article_?body|body(?:_?html)?|content(?:_?html)?|html|text|markdown|description_?html", re.I)
STATE = re.compile(r"\s*(?:window\.)?[\w$.]*__[A-Z_]+__\s*=\s*(?=[{\[])")  # what a script sets to a document
MARKUP = re.compile(r"<(?:p|div|br|h[1-6]|li|section)[\s/>]", re.I)
CODE = re.compile(r"[{};]\s*(?:\n|$)|function\s*\(|=>")  # of a program or a style sheet


def told_by_scripts(page: Page) -> str:
    """Returns the longest text of a page's data, a line for each paragraph; "" if there is none."""
    stories: list[str] = []
    for script in page.tree.iter("script"):
        kind, text = (script.get("type") or "").lower(), script.text or ""
        state = STATE.match(text)
        if (state or is_json_ld(script) or kind in ("application/json", "text/json")) and MIN_STORY <= len(
            text
        ) <= MAX_SCRIPT:
            found = {value for key, value in _texts(text[state.end() if state else 0 :]) if KEYS.fullmatch(key)}
            own = [value for value in found if len(value) >= MIN_STORY and not CODE.search(value)]
            # Several articles in JSON-LD are those of a list.
            stories += own if len(own) == 1 or not is_json_ld(script) else []
    story = max(stories, key=len, default="")
    if MARKUP.search(story):
        story = "\n".join(line.text for line in Page(story, page.url).layout.lines)
    lines = (" ".join(line.split()) for line in story.splitlines())
    told = "\n".join(line for line in lines if line)
    return told if char_len(told) >= MIN_STORY else ""


def _texts(script: str) -> Iterator[tuple[str, str]]:
    """Yields the texts of a JSON document, each with the name of the value that holds it."""
    try:
        waiting = [("", json.JSONDecoder(strict=False).raw_decode(script.lstrip())[0])]
    except (ValueError, RecursionError):
        return
    for _ in range(MAX_VALUES):
        if not waiting:
            return
        key, value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += ((key, each) for each in value)
        elif isinstance(value, str):
            yield key, value.replace("\0", "").encode("utf-8", "ignore").decode()
