"""What time it is: the one clock of the program. Every part that stores or compares times of day asks it.

Times that only measure how long something takes are monotonic ones, and not from here.
"""

from __future__ import annotations

import logging
import os
import time

from crawler.errors import SettingError
from crawler.messages import _

DAY = 86400.0  # seconds
CLOCK = "ZHUTI_CLOCK"  # of the environment: seconds that the clock is ahead, to try out what comes later

JITTER = 5.0  # seconds that a machine's clock may be set back without a word
SET_BACK = _(
    "the system clock was set back by %.0f minutes; this crawl continues with the former time; correct the clock"
)
APART = _(
    "the clocks of this machine and of the database server are %.0f minutes apart; this crawl goes by the server's;"
    " correct the one that is wrong"
)

logger = logging.getLogger(__name__)

_server_ahead = 0.0  # seconds that a database server is before this machine's clock, which several machines go by
_latest = 0.0  # what the machine's clock said last
_set_back = 0.0  # seconds that it was set back since the program started


def wall_time() -> float:
    """Seconds since the epoch. It does not go back with the machine's clock: what that was set back is added, or all
    that waits would seem to be due much later. A clock that is put forward again ends that."""
    global _latest, _set_back
    now = time.time()
    if _latest - now > JITTER:
        logger.warning(SET_BACK, (_latest - now) / 60)
        _set_back += _latest - now
    elif now - _latest > _set_back > 0.0:
        _set_back = 0.0
    _latest = now
    return now + _set_back + _server_ahead + _ahead()


def agree(server: float) -> None:
    """Goes by the clock of a database server, which says `server`, where the two are more than JITTER apart: workers on
    several machines compare the times that they store."""
    global _server_ahead
    apart = server - (wall_time() - _server_ahead - _ahead())
    apart = apart if abs(apart) > JITTER else 0.0
    if apart and abs(apart - _server_ahead) > JITTER:
        logger.warning(APART, abs(apart) / 60)
    _server_ahead = apart


def _ahead() -> float:
    """Seconds that the environment puts the clock ahead of this machine's. Raises SettingError."""
    try:
        return float(os.environ.get(CLOCK) or 0)
    except ValueError:
        raise SettingError(_("{name} is not a number of seconds; give one"), name=CLOCK) from None
