"""`_replay.json`: what a tree of files cannot say about its addresses.

    {
      "http://a.example/old.html":  {"status": 301, "location": "http://a.example/new.html"},
      "http://a.example/page.html": {"content_type": "text/html; charset=gb2312"},
      "http://a.example/bare":      {"content_type": ""},
      "http://a.example/broken":    {"status": 500}
    }

An address may have a query. An empty content type means that the header is not sent. A rule with a status and no file
behind it answers with a short page; one without status needs its file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from zhuti.demo.recorded.errors import ReplayError

RULES_FILE = "_replay.json"
_KEYS = {"status", "location", "content_type"}


@dataclass(frozen=True, slots=True)
class Rule:
    status: int = 200
    location: str | None = None
    content_type: str | None = None  # None: by the file's ending; "": no header

    @property
    def is_complete(self) -> bool:
        """Whether it is an answer without a file."""
        return self.status != 200


def load_rules(text: bytes, where: str) -> Mapping[str, Rule]:
    """Rules by URL. `where` names the file in messages. Raises ReplayError."""
    try:
        entries = json.loads(text)
    except ValueError as error:
        raise ReplayError(f"{where}: is not valid JSON ({error}); fix or remove it") from error
    if not isinstance(entries, dict):
        raise ReplayError(f'{where}: must be an object of rules by URL, like {{"http://a.example/": {{}}}}')
    return {url: _rule(url, entry, where) for url, entry in entries.items()}


def _rule(url: str, entry: object, where: str) -> Rule:
    place = f"{where}: {url!r}"
    if not url.startswith(("http://", "https://")):
        raise ReplayError(f"{place} is not an address; begin it with http:// or https://")
    if not isinstance(entry, dict) or not _KEYS.issuperset(entry):
        raise ReplayError(f"{place} must be an object with no keys but {', '.join(sorted(_KEYS))}")
    location, content_type = entry.get("location"), entry.get("content_type")
    status = entry.get("status", 200 if location is None else 301)
    if not isinstance(status, int) or not 200 <= status <= 599:
        raise ReplayError(f"{place} has the status {status!r}; give a number from 200 to 599")
    if not _is_header(location) or not _is_header(content_type):
        raise ReplayError(f"{place} must give location and content_type as one line of text")
    if location is not None and not 300 <= status <= 399:
        raise ReplayError(f"{place} has a location and the status {status}; give a status from 300 to 399")
    return Rule(status, location, content_type)


def _is_header(value: object) -> bool:
    return value is None or (isinstance(value, str) and "\n" not in value and "\r" not in value)
