"""What the add-on gives a project's settings."""

import pytest
from scrapy.settings import Settings

from crawler.addon import FORMER, GONE, complete


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_a_setting_under_its_former_name_still_counts(former: str, name: str, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings({former: "3"}, "cmdline")
    complete(settings)
    assert settings[name] == "3"
    assert f"the setting {former} is called {name}" in caplog.text


def test_without_a_former_name_the_default_counts() -> None:
    settings = Settings()
    complete(settings)
    assert settings.getint("PAGE_BUDGET") == 1000


@pytest.mark.parametrize("gone", GONE)
def test_a_setting_that_is_gone_is_told(gone: str, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings({gone: "3"}, "cmdline")
    complete(settings)
    assert gone not in settings and f"the setting {gone} is gone" in caplog.text
