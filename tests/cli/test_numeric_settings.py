"""Settings that are numbers: what is refused, and what is said."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from crawler.cli.numeric_settings import check_numbers, retry_codes
from crawler.errors import SettingError


def settings(**values: object) -> Settings:
    made = Settings()
    made.setmodule("crawler.settings")
    made.update(values, priority="cmdline")
    return made


def test_the_projects_own_are_right() -> None:
    check_numbers(settings())


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("HOSTS_AT_ONCE", "few", "a whole number from 0 on"),
        ("PAGE_BUDGET", "1.5", "a whole number"),
        ("STOP_BELOW", "1.01", "from 0 to 1"),
        ("STOP_BELOW", "nan", "from 0 to 1"),
        ("DOWNLOAD_DELAY", "inf", "a number from 0 on"),
        ("DOWNLOAD_TIMEOUT", "", "seconds"),
        ("RETRY_TIMES", "twice", "fetches after the first"),
        ("METAREFRESH_MAXDELAY", None, "seconds"),
        ("CONCURRENT_REQUESTS", 0, "from 1 on"),
    ],
)
def test_what_is_no_number_of_its_kind(name: str, value: object, words: str) -> None:
    with pytest.raises(SettingError, match=f"^{name}={value} cannot be used; give .*{words}"):
        check_numbers(settings(**{name: value}))


def test_retry_codes() -> None:
    assert retry_codes(settings(RETRY_HTTP_CODES="500,503")) == {500, 503}
    assert 503 in retry_codes(settings())
    with pytest.raises(SettingError, match=r"^RETRY_HTTP_CODES=500,x cannot be used"):
        retry_codes(settings(RETRY_HTTP_CODES="500,x"))
