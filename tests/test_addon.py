"""What the add-on gives a project's settings."""

import pytest
from scrapy.settings import Settings

from crawler.addon import FORMER, REMOVED, complete
from crawler.options import check_settings


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


@pytest.mark.parametrize("name", REMOVED)
def test_a_setting_that_is_gone_is_told(name: str, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings({name: "7d"}, "cmdline")
    complete(settings)
    check_settings(settings)
    assert [record.message for record in caplog.records] == [REMOVED[name]]
