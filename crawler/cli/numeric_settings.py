"""Settings that are numbers, and what they may be: a slip of the hand is told before anything starts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scrapy.settings import BaseSettings

from crawler.errors import SettingError


@dataclass(frozen=True, slots=True)
class Number:
    unit: str  # what it counts or measures, for the user
    least: float = 0
    most: float = math.inf
    whole: bool = True

    def admits(self, value: Any) -> bool:
        try:
            number = (int if self.whole else float)(value)
        except (TypeError, ValueError, OverflowError):
            return False
        return self.least <= number <= self.most and math.isfinite(number)

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        bounds = f"from {self.least:g} on" if math.isinf(self.most) else f"from {self.least:g} to {self.most:g}"
        return f"{kind} {bounds} ({self.unit})"


NUMBERS = {
    "PAGE_BUDGET": Number("pages, 0 for no end"),
    "STOP_BELOW": Number("a harvest rate such as 0.02, 0 for never", most=1, whole=False),
    "HOSTS_AT_ONCE": Number("hosts, 0 for all"),
    "ANALYSE_PROCESSES": Number("processes, 0 for one per processor"),
    "ANALYSE_TIMEOUT": Number("seconds", least=0.1, whole=False),
    "PROGRESS_INTERVAL": Number("seconds", least=0.1, whole=False),
    "WARC_SIZE": Number("bytes", least=1),
    "DOWNLOAD_DELAY": Number("seconds", whole=False),
    "CONCURRENT_REQUESTS": Number("requests", least=1),
    "CONCURRENT_REQUESTS_PER_DOMAIN": Number("requests", least=1),
    "DOWNLOAD_TIMEOUT": Number("seconds", least=0.1, whole=False),
    "DOWNLOAD_MAXSIZE": Number("bytes, 0 for no end"),
    "RETRY_TIMES": Number("fetches after the first"),
    "METAREFRESH_MAXDELAY": Number("seconds"),
}


def check_numbers(settings: BaseSettings) -> None:
    """Raises SettingError for the first that is no number of its kind."""
    for name, number in NUMBERS.items():
        if not number.admits(settings[name]):
            raise SettingError(f"{name}={settings[name]} cannot be used; give {number}")


def retry_codes(settings: BaseSettings) -> frozenset[int]:
    """RETRY_HTTP_CODES. Raises SettingError when one of them is no number."""
    codes = settings.getlist("RETRY_HTTP_CODES")
    try:
        return frozenset(int(code) for code in codes)
    except ValueError as error:
        written = ",".join(map(str, codes))
        raise SettingError(f"RETRY_HTTP_CODES={written} cannot be used; give HTTP statuses, like 500,503") from error
