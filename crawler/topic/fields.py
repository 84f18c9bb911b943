"""The keys of a topic file, each read and checked once; a mistake names file, key and remedy."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from typing import Any, TypeVar

from crawler.bundled import EXAMPLE
from crawler.errors import TopicError
from crawler.messages import _
from crawler.reader.html.public_addresses import Network
from crawler.reader.html.urls import host
from crawler.reader.text.harmful import Harmful
from crawler.topic.schedule import Wrong
from crawler.topic.seeds import seed_url, seed_urls

_NAMES = """
    extends replace name title description keywords struck texts pages dictionaries seeds threshold precision embeddings
    language harmful budget allowed_hosts denied_hosts schedule notify
"""
KEYS = tuple(_NAMES.split())
T = TypeVar("T")
NUMBERS = ("threshold", "precision", "budget")  # keys with a number, as a word has one
SEE = _("see {example}", example=EXAMPLE)

MOST_KEYWORDS = 10_000  # each takes .4 ms to learn, whenever a command reads the topic
NAME = re.compile(r"\w[\w-]*")  # of a topic
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_IPV4 = re.compile(r"\d+(\.\d+){3}")
_NETWORK = re.compile(r"[\da-fA-F.:]+/\d+|[\da-fA-F]*(:[\da-fA-F]*){2,}|\d+(\.\d+){3}")  # CIDR, or one address
_HOST = re.compile(r"[\w-]+(\.[\w-]+)*")


def mistake(path: Path, key: str, problem: str, /, **fields: object) -> TopicError:
    """What is wrong with a key of a topic file."""
    return TopicError(f"{path}: '{key}' {problem.format(**fields) if fields else problem}")


class Fields:
    """Typed access to one parsed topic file. Every method raises TopicError when the value cannot be used."""

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        self.path = path
        self._values = values
        self._error = partial(mistake, path)
        for key in values:
            if key not in KEYS:
                raise self._error(
                    key, _("is not a key of topic files; use one of {keys} ({see})"), keys=", ".join(KEYS), see=SEE
                )

    def name(self, default: str) -> str:
        name = self.text("name", default)
        if not NAME.fullmatch(name):
            raise self._error(
                "name", _("is {name!r}; use letters, digits and hyphens, it becomes part of file names"), name=name
            )
        return name

    def text(self, key: str, default: str = "") -> str:
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise self._error(key, _('must be a string; write {key} = "..." ({see})'), key=key, see=SEE)
        return value.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings that are not blank, as written but stripped."""
        if key not in self._values:
            return ()
        value = self._values[key]
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise self._error(
                key, _('must be a list of strings; write {key} = ["...", "..."] ({see})'), key=key, see=SEE
            )
        if not value:
            raise self._error(key, _("is empty; give at least one or leave the key out ({see})"), see=SEE)
        for n, entry in enumerate(value, 1):
            if not entry.strip():
                raise self._error(key, _("has a blank entry {n}; fill it in or remove it"), n=n)
        return tuple(entry.strip() for entry in value)

    def keywords(self) -> dict[str, float]:
        """Keywords with their weights in (0, 1]; a plain list gives every keyword the weight 1."""
        value = self._values.get("keywords")
        if isinstance(value, list):
            value = dict.fromkeys(self.texts("keywords"), 1.0)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self._error(
                "keywords", _('must be a list of strings or a table of weights, "word" = 0.8 ({see})'), see=SEE
            )
        if not value:
            raise self._error("keywords", _("is empty; give at least one or leave the table out ({see})"), see=SEE)
        if len(value) > MOST_KEYWORDS:
            raise self._error(
                "keywords", _("has {count} words; use the {most} that tell most"), count=len(value), most=MOST_KEYWORDS
            )
        for word, weight in value.items():
            if word in KEYS and (word in NUMBERS or not _is_number(weight)):
                raise self._error(word, _("stands below [keywords], among the words; move it above [keywords]"))
            if not word.strip():
                raise self._error("keywords", _("has a blank word; fill it in or remove it"))
            if not any(character.isalnum() for character in word):
                raise self._error(
                    "keywords", _("has {word!r}, which contains no letter; write a word or remove it"), word=word
                )
            if not _is_number(weight) or not 0 < weight <= 1:
                raise self._error(
                    "keywords",
                    _("gives {word!r} the weight {weight!r}; use a number above 0, at most 1"),
                    word=word,
                    weight=weight,
                )
        return {word.strip(): float(weight) for word, weight in value.items()}

    def pages(self) -> tuple[str, ...]:
        """Describing pages: canonical URLs, and paths made relative to the working directory."""
        return tuple(self._page(entry) for entry in self.texts("pages"))

    def _page(self, entry: str) -> str:
        if "://" in entry:
            url = seed_url(entry)
            if url is None:
                raise self._error(
                    "pages",
                    _("has {entry!r}, which is not an http(s) URL; write https://host/path or a file's path"),
                    entry=entry,
                )
            return url
        return self._file("pages", entry)

    def dictionaries(self) -> tuple[str, ...]:
        """User dictionaries: paths made relative to the working directory."""
        return tuple(self._file("dictionaries", entry) for entry in self.texts("dictionaries"))

    def _file(self, key: str, entry: str) -> str:
        path = self.path.parent / entry
        if not path.resolve().is_relative_to(self.path.parent.resolve()):  # a stranger's file could have any file read
            raise self._error(
                key, _("names {entry!r}, which is not below the topic file's folder; copy it there"), entry=entry
            )
        if not path.is_file():
            raise self._error(
                key,
                _("names {entry!r}, but there is no file {path}; give a path relative to the topic file"),
                entry=entry,
                path=path,
            )
        return str(path)

    def seeds(self) -> tuple[str, ...]:
        entries = enumerate(self.texts("seeds"), 1)
        return seed_urls(
            ((_("{path}: 'seeds', entry {n}", path=self.path, n=n), entry) for n, entry in entries), TopicError
        )

    def threshold(self, default: float) -> float:
        value = self._values.get("threshold", default)
        if not _is_number(value) or not 0 <= value <= 1:
            raise self._error(
                "threshold",
                _("is {value!r}; use a number from 0 to 1, {default} is usual"),
                value=value,
                default=default,
            )
        return float(value)

    def precision(self) -> float | None:
        value = self._values.get("precision")
        if value is not None and (not _is_number(value) or not 0 < value < 1):
            raise self._error("precision", _("is {value!r}; use a number between 0 and 1, such as 0.9"), value=value)
        return None if value is None else float(value)

    def flag(self, key: str) -> bool:
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            raise self._error(key, _("is {value!r}; use true or false"), value=value)
        return value

    def language(self) -> str:
        language = self.text("language")
        if language and not _LANGUAGE.fullmatch(language):
            raise self._error(
                "language",
                _('is {language!r}; use an ISO 639 code such as "zh", or leave the key out'),
                language=language,
            )
        return language

    def budget(self) -> int | None:
        value = self._values.get("budget")
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self._error("budget", _("is {value!r}; use a whole number of pages, at least 1"), value=value)
        return value

    def table(self, key: str, read: Callable[[object, Wrong], T]) -> T | None:
        """What `read` makes of the key's value, mostly a table; None where there is none."""
        return read(self._values[key], self._error) if key in self._values else None

    def hosts(self, key: str, networks: bool = True) -> frozenset[str]:
        """Host names. `networks` may be among them, and are left out; an IPv4 address is both."""
        names = [entry for entry in self.texts(key) if not (networks and _NETWORK.fullmatch(entry))]
        names += [entry for entry in self.texts(key) if networks and _IPV4.fullmatch(entry)]
        return frozenset(self._host(key, name) for name in names)

    def networks(self, key: str) -> tuple[Network, ...]:
        return tuple(self._network(key, entry) for entry in self.texts(key) if _NETWORK.fullmatch(entry))

    def _network(self, key: str, entry: str) -> Network:
        try:
            return ip_network(entry)
        except ValueError as error:
            raise self._error(
                key,
                _("has {entry!r}, which is not a network: {error}; write 10.0.0.0/8 or fd00::/8"),
                entry=entry,
                error=error,
            ) from error

    def _host(self, key: str, entry: str) -> str:
        name = entry.lower().strip(".")
        if not _HOST.fullmatch(name):
            guess = host(name if "//" in name else f"//{name}") or "blog.example.com"
            raise self._error(
                key,
                _("has {entry!r}, which is not a host name; write a bare name such as {guess!r}"),
                entry=entry,
                guess=guess,
            )
        try:
            return name.encode("idna").decode("ascii")
        except UnicodeError as error:
            raise self._error(
                key,
                _("has {entry!r}, which is not a host name ({error}); correct it or remove it"),
                entry=entry,
                error=error,
            ) from error


def _is_number(value: object) -> bool:
    """Finite; by comparison, as no float holds some integers."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -math.inf < value < math.inf


def read_harmful(value: object, wrong: Wrong) -> Harmful:
    try:
        return Harmful(str(value))
    except ValueError as error:
        raise wrong("harmful", _("is {value!r}; use one of {known}"), value=value, known=", ".join(Harmful)) from error
