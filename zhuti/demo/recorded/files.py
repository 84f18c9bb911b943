"""A recorded web as a tree of files, HOST/path/index.html: how addresses become files; and `_replay.json`, what such
a tree cannot say about its addresses:

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
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from zhuti.demo.recorded.base import HTML, Answer, ReplayError, error_page, redirect
from zhuti.demo.recorded.site import ALIASES_FILE


class Blobs(Protocol):
    """Files by name. A name is "HOST/path/file", with "/" on every system; bytes of a name that are not UTF-8 are
    surrogate escapes, as the file system gives them."""

    def names(self) -> Iterator[str]: ...

    def __contains__(self, name: str) -> bool: ...

    def read(self, name: str) -> bytes:
        """All bytes of a file that is there. Raises OSError when it was taken away since."""

    def modified(self, name: str) -> float:
        """Seconds since the epoch."""

    def close(self) -> None: ...


class FolderBlobs:
    """The files below a folder, listed once. A host's folder may be a symbolic link, so that a part of a web can be
    put together from links; links further down, to folders or files, are left out: a web of a stranger would serve any
    file of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.fspath(folder) + os.sep
        try:
            self._names = set(_list_files(folder))
        except OSError as error:
            raise ReplayError(f"{folder}: cannot be read ({error.strerror}); check its permissions") from error

    def names(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes:
        return Path(self._folder + name).read_bytes()

    def modified(self, name: str) -> float:
        return Path(self._folder + name).stat().st_mtime

    def close(self) -> None:
        """Nothing is held open."""


def _list_files(folder: Path) -> Iterator[str]:
    with closing(os.scandir(folder)) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files_below(entry.path, entry.name)
            elif not entry.is_symlink():
                yield entry.name


def _files_below(path: str, name: str) -> Iterator[str]:
    for place, _, files in os.walk(path, onerror=_fail):
        inside = name + place[len(path) :].replace(os.sep, "/")
        for file in files:
            if not Path(place, file).is_symlink():
                yield f"{inside}/{file}"


def _fail(error: OSError) -> None:
    raise error


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


CONTENT_TYPES = {
    "html": HTML,
    "htm": HTML,
    "xhtml": "application/xhtml+xml",
    "xml": "application/xml",
    "txt": "text/plain; charset=utf-8",
    "json": "application/json",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "pdf": "application/pdf",
}
UNKNOWN_TYPE = "application/octet-stream"
INDEX = "index.html"
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_SLASHES = re.compile("/{2,}")


class FileWeb:
    """Serves files over http; https leads there."""

    def __init__(self, blobs: Blobs, where: str) -> None:
        """`where` names the recording in messages. Raises ReplayError."""
        self._blobs = blobs
        self._folders, self._pages = _folders(blobs)
        self._hosts = frozenset(name for name in self._folders if _HOST.fullmatch(name))
        if not self._hosts:
            raise ReplayError(f"{where}: no folder in it is named after a host; it must hold HOST/index.html and so on")
        self._rules: Mapping[str, Rule] = {}
        if RULES_FILE in blobs:
            self._rules = load_rules(blobs.read(RULES_FILE), f"{where}: {RULES_FILE}")

    @property
    def hosts(self) -> Collection[str]:
        return self._hosts

    @property
    def pages(self) -> int:
        return self._pages

    @property
    def aliases(self) -> bytes | None:
        return self._blobs.read(ALIASES_FILE) if ALIASES_FILE in self._blobs else None

    def find(self, scheme: str, host: str, target: str) -> Answer | None:
        rule = self._rules.get(f"{scheme}://{host}{target}")
        if rule and rule.location is not None:
            return redirect(rule.location, rule.status)
        if scheme == "https":
            return redirect(f"http://{host}{target}")
        name = self._name(host, target)
        if name is not None and name.endswith("/"):
            path, mark, query = target.partition("?")
            return redirect(f"http://{host}{path}/{mark}{query}")
        if name is None:
            return error_page(rule.status) if rule and rule.is_complete else None
        return self._file(name, rule or Rule())

    def close(self) -> None:
        self._blobs.close()

    def _name(self, host: str, target: str) -> str | None:
        """The file behind an address; its folder with "/" at the end when the address lacks it; None for nothing.
        A file may have been saved with its query in the name."""
        path, mark, query = target.partition("?")
        name = host + _SLASHES.sub("/", _unquote(path) if "%" in path else path)
        if mark and (with_query := f"{name}?{_unquote(query)}") in self._blobs:
            return with_query
        if name.endswith("/"):
            name += INDEX
        elif name in self._folders:
            return name + "/"
        if name in self._blobs:
            return name
        return name + ".html" if name + ".html" in self._blobs else None

    def _file(self, name: str, rule: Rule) -> Answer | None:
        try:
            body, modified = self._blobs.read(name), self._blobs.modified(name)
        except FileNotFoundError:  # taken away since the start: missing like any other
            return None
        headers = [("Last-Modified", formatdate(modified, usegmt=True))]
        content_type = type_of(name) if rule.content_type is None else rule.content_type
        if content_type:
            headers.append(("Content-Type", content_type))
        return Answer(rule.status, tuple(headers), body)


def _unquote(text: str) -> str:
    return unquote(text, errors="surrogateescape")  # the form of names in `Blobs`


def type_of(name: str) -> str:
    return CONTENT_TYPES.get(name.rpartition(".")[2].lower(), UNKNOWN_TYPE)


def _folders(blobs: Blobs) -> tuple[frozenset[str], int]:
    """Every folder of the tree without "/" at its end, and the number of files below a host's folder."""
    folders: set[str] = set()
    pages = 0
    for name in blobs.names():
        folder = name.rpartition("/")[0]
        pages += _HOST.fullmatch(name.partition("/")[0]) is not None and folder != ""
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(folders), pages
