"""Doors in JSON: search indexes, JSON Feed, WordPress's posts. An object with an address and a title or a whole
text is an entry, wherever in the file it stands, for each generator and theme has a form of its own."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qs, urlsplit

import ijson
from w3lib.url import add_or_replace_parameter

from crawler.discovery.doors import Contents, Kind
from crawler.discovery.entries import ROLES, SUBJECTS, Bound, Draft, Gathered, field_name
from crawler.messages import N_

MAX_DEPTH = 50  # arrays and objects in one another
MAX_KEY = 100  # characters of a field's name
VALUES = frozenset(["rendered", "name", "value"])  # of an object that stands for a text: {"title": {"rendered": ...}}
SITE = frozenset(["meta", "config", "site"])  # objects with title and address of the site itself
WORDPRESS_PAGE = 10  # posts on a page where the address does not say


class _Level:
    """An open array or object."""

    __slots__ = ("around", "draft", "key", "name")

    def __init__(self, name: str, around: Draft, draft: Draft | None) -> None:
        self.name = name  # the field in which it stands, "" for none of ROLES or SUBJECTS
        self.around = around  # the entry that this field belongs to
        self.draft = draft  # an object's own fields; None for an array or SITE
        self.key = ""  # the field that is being read


def read_json(pieces: Iterable[bytes], gathered: Gathered) -> Contents:
    """`pieces` of a document in UTF-8. Never raises."""
    reader = _Reader(gathered)
    reason = ""
    try:
        for event, value in ijson.basic_parse(ijson.from_iter(pieces), use_float=True, multiple_values=True):
            reader.take(event, value)
    except Bound as bound:
        reason = str(bound)
    except (ijson.JSONError, UnicodeDecodeError):
        reason = N_("it is cut off or broken JSON")
    kind: Kind | None = reader.kind
    if kind is Kind.WORDPRESS:
        gathered.name(_next_page(gathered), kind)
    if not gathered.entries:
        kind, reason = None, reason or N_("it lists no pages with an address and a title")
    return Contents(kind, tuple(gathered.entries.values()), tuple(gathered.doors.values()), reason=reason)


class _Reader:
    def __init__(self, gathered: Gathered) -> None:
        self.kind = Kind.SEARCH_INDEX
        self._gathered = gathered
        self._levels = [_Level("", Draft(), None)]
        self._deeper = 0  # levels below MAX_DEPTH, where nothing is looked at: word trees of ready-made indexes

    def take(self, event: str, value: object) -> None:
        """One event of ijson.basic_parse."""
        if event in ("start_map", "start_array"):
            if len(self._levels) > MAX_DEPTH:
                self._deeper += 1
            else:
                self._open(self._levels[-1], event == "start_map")
        elif event in ("end_map", "end_array"):
            if self._deeper:
                self._deeper -= 1
            else:
                self._close(self._levels.pop())
        elif self._deeper:
            return
        elif event == "map_key":
            self._levels[-1].key = field_name(str(value)[:MAX_KEY])
        elif event in ("string", "number"):
            self._text(self._levels[-1], str(value))

    def _open(self, level: _Level, is_map: bool) -> None:
        if level.draft is None:
            name, around = level.name, level.around
        else:
            name, around = (level.key if level.key in ROLES or level.key in SUBJECTS else ""), level.draft
            is_map = is_map and level.key not in SITE
        self._levels.append(_Level(name, around, Draft() if is_map else None))

    def _close(self, level: _Level) -> None:
        """The root is no entry, and neither is a tag with an address of its own."""
        draft = level.draft
        if draft is None or level.name in SUBJECTS or len(self._levels) == 1:
            return
        if "title" in draft.values or "whole" in draft.values:
            self._gathered.add(draft)

    def _text(self, level: _Level, value: str) -> None:
        if level.draft is None:
            level.around.add(level.name, value)
            return
        level.draft.add(level.key, value)
        if level.name and level.key in VALUES:
            level.around.add(level.name, value)
            if level.key == "rendered":
                self.kind = Kind.WORDPRESS
        if len(self._levels) == 2:  # the root
            if level.key == "version" and "jsonfeed.org" in value:
                self.kind = Kind.FEED
            elif level.key == "nexturl":
                self._gathered.name(value, self.kind)


def _next_page(gathered: Gathered) -> str | None:
    """A full page of posts is followed by another one; WordPress says how many there are in a header only."""
    query = parse_qs(urlsplit(gathered.address).query)
    size, number = (query.get(name, [""])[0] for name in ("per_page", "page"))
    full = int(size) if size.isdecimal() and len(size) < 4 else WORDPRESS_PAGE
    if len(gathered.entries) < full:
        return None
    return str(add_or_replace_parameter(gathered.address, "page", str(int(number) + 1 if number.isdecimal() else 2)))
