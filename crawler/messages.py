"""What users read, in their language: English, the language of the source, or Chinese.

What is stored are codes and keys (reasons.py, outcomes, kinds). `N_` marks the words for them where they are in
tables, and `translated` turns them into the user's language when they are told. `make messages` brings the catalogue in
`locale/` up to date with the source.
"""

from __future__ import annotations

import gettext
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TextIO

DOMAIN = "zhuti"
LOCALES = Path(__file__).with_name("locale")
SAMPLE = "主题"  # what a terminal must be able to write


def language(environ: Mapping[str, str], terminal: TextIO | None = None) -> str:
    """ "zh" or "en": ZHUTI_LANG, or else what gettext reads, LANGUAGE before LC_ALL, LC_MESSAGES and LANG, but not
    beside the locale C. English on a terminal that cannot write Chinese."""
    locale = next((environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environ.get(name)), "C")
    named = "" if re.match(r"(C|POSIX)(\.|$)", locale) else environ.get("LANGUAGE")
    wanted = environ.get("ZHUTI_LANG") or named or locale
    if not next((name for name in wanted.split(":") if name[:2] in ("en", "zh")), "").startswith("zh"):
        return "en"
    try:
        SAMPLE.encode(getattr(terminal, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "en"
    return "zh"


LANGUAGE = language(os.environ, sys.stdout)  # of who started the program
_spoken: ContextVar[str] = ContextVar("language", default=LANGUAGE)


def spoken() -> str:
    """The language of the user who is being told something."""
    return _spoken.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Within it users are told in this language: each request to a server may have one of its own."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    return gettext.translation(DOMAIN, LOCALES, [language], fallback=language == "en")


def translated(message: str, /, **fields: object) -> str:
    """The message in the user's language, with its fields filled in; "" is ""."""
    found = _catalogue(spoken()).gettext(message) if message else ""
    return found.format(**fields) if fields else found


_ = translated  # with the message as it stands in the catalogue: `make messages` finds it here


def ngettext(singular: str, plural: str, count: int, **fields: object) -> str:
    """The one for this count, with `{count}` and its fields filled in."""
    return _catalogue(spoken()).ngettext(singular, plural, count).format(count=count, **fields)


def N_(message: str, /) -> str:
    """Marks a message that `translated` is given later."""
    return message
