"""What the add-on gives a project's settings."""

import pytest
from scrapy.settings import Settings

from crawler.addon import complete
from crawler.errors import SettingError
from crawler.options import FORMER, check_settings


def test_the_default_counts() -> None:
    settings = Settings()
    complete(settings)
    assert settings.getint("PAGE_BUDGET") == 1000


@pytest.mark.parametrize("name", FORMER)
def test_a_setting_that_is_gone_is_told(name: str) -> None:
    """Also in another project, whatever else its settings are."""
    settings = Settings({name: "7d"}, "project")
    complete(settings)
    with pytest.raises(SettingError, match=f"^{name} was removed or renamed in 0.3; take it out"):
        check_settings(settings)
