"""Settings and arguments: what is refused, and what the user is told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import date

import pytest
from scrapy.settings import Settings

from crawler.errors import SettingError
from crawler.options import Number, age, check_settings, day, retry_codes


def settings(**values: object) -> Settings:
    made = Settings()
    made.setmodule("crawler.settings")
    made.update(values, priority="cmdline")
    return made


def test_the_projects_own_are_right() -> None:
    check_settings(settings())


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("FURTHER_PAGES", "few", "a whole number from 0 on"),
        ("PAGE_BUDGET", "1.5", "a whole number"),
        ("STOP_BELOW", "1.01", "from 0 to 1"),
        ("STOP_BELOW", "nan", "from 0 to 1"),
        ("DOWNLOAD_DELAY", "inf", "a number from 0 on"),
        ("DOWNLOAD_TIMEOUT", "", "seconds"),
        ("RETRY_TIMES", "twice", "further attempts after the first"),
        ("METAREFRESH_MAXDELAY", None, "seconds"),
        ("CONCURRENT_REQUESTS", 0, "from 1 on"),
    ],
)
def test_what_is_no_number_of_its_kind(name: str, value: object, words: str) -> None:
    with pytest.raises(SettingError, match=f"^{name}={value} cannot be used; give .*{words}"):
        check_settings(settings(**{name: value}))


def test_retry_codes() -> None:
    assert retry_codes(settings(RETRY_HTTP_CODES="500,503")) == {500, 503}
    assert 503 in retry_codes(settings())
    with pytest.raises(SettingError, match=r"^RETRY_HTTP_CODES=500,x cannot be used"):
        retry_codes(settings(RETRY_HTTP_CODES="500,x"))


@pytest.mark.parametrize(
    ("check", "text", "value"),
    [
        (Number("hits", least=1), "7", 7),
        (Number("seconds", whole=False), "0.5", 0.5),
        (day, "2026-01-31", date(2026, 1, 31)),
        (age, "1970-01-02", 86_400.0),
        (age, "1970-01-01T01:00:00+01:00", 0.0),
    ],
)
def test_arguments(check: Callable[[str], object], text: str, value: object) -> None:
    assert check(text) == value


@pytest.mark.parametrize(
    ("check", "text", "words"),
    [
        (Number("hits", least=1), "0", "give a whole number from 1 on (hits)"),
        (Number("seconds", whole=False), "nan", "give a number from 0 on (seconds)"),
        (Number("a similarity", most=1, whole=False), "3", "from 0 to 1"),
        (day, "yesterday", "2026-01-31"),
        (age, "99999y", "is not an age"),
        (age, "long", "90d"),
    ],
)
def test_arguments_that_cannot_be_used(check: Callable[[str], object], text: str, words: str) -> None:
    with pytest.raises(ArgumentTypeError, match=re.escape(words)):
        check(text)


def test_an_age_is_counted_from_now() -> None:
    assert time.time() - age("2w") == pytest.approx(14 * 86_400, abs=60)


@pytest.mark.parametrize("place", ["", "postgresql+psycopg://me:secret@server/name"])
def test_the_store_of_the_environment(place: str) -> None:
    """Where other users of the machine do not see its password, as they would on the command line."""
    program = "import crawler.settings; print(crawler.settings.STORE_URL)"
    environment = {**os.environ, "STORE_URL": place}
    told = subprocess.check_output([sys.executable, "-c", program], env=environment, text=True)
    assert told.strip() == (place or "sqlite:///data/harvest.db")
