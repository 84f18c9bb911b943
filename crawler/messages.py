"""What users read, in their language: English, the language of the source, or Chinese.

What is stored stays English (reasons, states, keys, log rows): it is marked by `N_` where it is made, and `shown`
translates it when it is told. `make messages` brings the catalogue in `locale/` up to date with the source.
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
FIELD = re.compile(r"\{(\w+)[^{}]*\}")
LEAST_WORDS = 6  # literal characters a template needs to match a stored sentence


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


def _(message: str, /, **fields: object) -> str:
    """The message in the user's language, with its fields filled in."""
    found = _catalogue(spoken()).gettext(message)
    return found.format(**fields) if fields else found


def ngettext(singular: str, plural: str, count: int) -> str:
    """The one for this count, with `{count}` filled in."""
    return _catalogue(spoken()).ngettext(singular, plural, count).format(count=count)


def N_(message: str, /, **fields: object) -> str:
    """The message in English, with its fields filled in: what is stored. `shown` translates it."""
    return message.format(**fields) if fields else message


def shown(stored: str) -> str:
    """A stored sentence in the user's language; as it is where the catalogue has none of its form."""
    if spoken() == "en" or not stored:
        return stored
    found = _catalogue(spoken()).gettext(stored)
    return found if found != stored else _by_its_form(stored)


def _by_its_form(stored: str) -> str:
    """The translation of the message that it was formatted from, with the same values, which may be such sentences."""
    forms: Mapping[str, str] = getattr(_catalogue(spoken()), "_catalog", {})
    fitting = [form for form in forms if isinstance(form, str) and all(words in stored for words in _words(form))]
    for form in sorted(fitting, key=lambda form: sum(map(len, _words(form))), reverse=True):
        values = _values(form, stored)
        if values and sum(map(len, _words(form))) >= LEAST_WORDS:
            return FIELD.sub(lambda field: values[field[1]], forms[form])  # noqa: B023  # called at once
    return stored


def _values(form: str, stored: str) -> dict[str, str]:
    """The fields of a message, none where the sentence is not of its form."""
    pattern = "(.+)".join(map(re.escape, _words(form)))
    match = re.fullmatch(pattern, stored, re.DOTALL)
    return dict(zip(FIELD.findall(form), map(shown, match.groups()), strict=True)) if match else {}


def _words(form: str) -> list[str]:
    """What stands around its fields."""
    return FIELD.sub("\0", form).split("\0")
