"""What time it is: the one clock of the program. Every part that stores or compares times of day asks it.

Times that only measure how long something takes are monotonic ones, and not from here.
"""

from __future__ import annotations

import time

from crawler.errors import SettingError
from crawler.messages import _

DAY = 86400.0  # seconds

_ahead = 0.0  # seconds before this machine's clock


def wall_time() -> float:
    """Seconds since the epoch."""
    return time.time() + _ahead


def follow(setting: str) -> None:
    """Sets the clock: CLOCK is "" for this machine's, or a number of seconds ahead of it. Raises SettingError."""
    global _ahead
    try:
        _ahead = float(setting or 0)
    except ValueError:
        raise SettingError(_("CLOCK={setting} is not a number of seconds; give one"), setting=setting) from None
