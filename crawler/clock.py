"""What time it is: the one clock of the program. Every part that stores or compares times of day asks it.

Times that only measure how long something takes are monotonic ones, and not from here.
"""

from __future__ import annotations

import json
import time
from urllib.request import ProxyHandler, build_opener

from crawler.errors import SettingError
from crawler.messages import _

TIMEOUT = 10.0  # seconds to wait for a clock's answer

_ahead = 0.0  # seconds before this machine's clock


def wall_time() -> float:
    """Seconds since the epoch."""
    return time.time() + _ahead


def follow(setting: str) -> None:
    """Sets the clock: CLOCK is "" for this machine's, a number of seconds before it, or the control address of a
    `scrapy replay`, which says what day it is there. From then on it goes on as this machine's does.

    Raises SettingError."""
    global _ahead
    if not setting:
        _ahead = 0.0
    elif setting.startswith(("http://", "https://")):
        _ahead = _told(setting) - time.time()
    else:
        try:
            _ahead = float(setting)
        except ValueError:
            raise SettingError(
                _("CLOCK={setting} is neither a number of seconds nor the address of a clock"), setting=setting
            ) from None


def _told(address: str) -> float:
    try:
        with build_opener(ProxyHandler({})).open(address, timeout=TIMEOUT) as answer:
            return float(json.load(answer)["now"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingError(
            _("CLOCK={address} gives no time ({error}); give the control address of scrapy replay"),
            address=address,
            error=error,
        ) from error
