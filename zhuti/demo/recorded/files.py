"""A recorded web as a tree of files, HOST/path/index.html: how addresses become files."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from email.utils import formatdate
from urllib.parse import unquote

from zhuti.demo.recorded.aliases import ALIASES_FILE
from zhuti.demo.recorded.base import HTML, Answer, error_page, redirect
from zhuti.demo.recorded.blobs import Blobs
from zhuti.demo.recorded.errors import ReplayError
from zhuti.demo.recorded.rules import RULES_FILE, Rule, load_rules

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
