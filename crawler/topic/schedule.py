"""When a topic is harvested, and who is told what a run has brought: `[schedule]` and `[notify]` of its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from crawler.errors import TopicError
from crawler.messages import _

KEYS = ("every", "cron", "timezone", "budget", "max_minutes")
BUDGET = 300  # requests of a run whose schedule names no budget
UNITS = {"min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}  # seconds
_EVERY = re.compile(r"(\d{1,5}) ?(min|h|d|w)")
CRON_FIELDS = 5
EARLY_SHARE = 0.1  # of `every` that a run may start before its time; own choice, as is the next
MOST_EARLY = 3600.0  # seconds

Wrong = Callable[..., TopicError]  # of a key, what is wrong with it, and the fields of that


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a topic is harvested, and how much at a time. Exactly one of `every` and `cron` is given."""

    every: float = 0.0  # seconds between two runs
    cron: str = ""  # minute, hour, day of month, month, day of week; at a change of the clocks as Debian's cron
    timezone: str = "UTC"  # of `cron`, an IANA name
    budget: int = BUDGET  # requests of a run after the first
    max_minutes: float | None = None  # after which a run ends in order; None: never
    written: str = field(default="", compare=False)  # `every` or `cron` as it stands in the file

    def following(self, time: float) -> float:
        """The first regular time after `time`, both in seconds since the epoch."""
        if self.every:
            return time + self.every
        start = datetime.fromtimestamp(time, UTC).astimezone(ZoneInfo(self.timezone))
        return next(CronSim(self.cron, start)).timestamp()

    def due(self, first: float | None, last: float | None, now: float) -> float:
        """When the next run is due, seconds since the epoch: `now` or before means at once. `first` and `last`: the
        starts of the topic's first and last run, None before the first. One run catches up on all missed ones.

        With `every`, runs are due on a grid that begins with the first run, each up to `early` seconds before its time:
        so a timer that fires at the same minute each day misses no day, and starts do not drift."""
        if first is None or last is None:
            return now
        if last > self.following(now):  # the clock was wrong, or was set back: waiting might take years
            return now
        if not self.every:
            return self.following(last)
        served = (last - first + self.early) // self.every
        return first + (served + 1) * self.every - self.early

    @property
    def early(self) -> float:
        """How many seconds before its time a run may start."""
        return min(EARLY_SHARE * self.every, MOST_EARLY)


def read_schedule(value: object, wrong: Wrong) -> Schedule:
    """The schedule of a parsed topic file. Raises the TopicError that `wrong` makes."""
    if not isinstance(value, dict):
        raise wrong("schedule", _('must be a table; write a line [schedule], below it every = "6h"'))
    for key in value:
        if key not in KEYS:
            raise wrong(f"schedule.{key}", _("is not a key of [schedule]; use some of {keys}"), keys=", ".join(KEYS))
    if ("every" in value) == ("cron" in value):
        raise wrong("schedule", _('needs one of two: every = "6h", or cron = "0 6 * * *"'))
    timezone = _timezone(value.get("timezone", "UTC"), wrong)
    return Schedule(
        every=_every(value["every"], wrong) if "every" in value else 0.0,
        cron=_cron(value["cron"], timezone, wrong) if "cron" in value else "",
        timezone=timezone,
        written=str(value.get("every", value.get("cron"))),
        budget=_positive(value, "budget", int, _("a whole number of requests"), wrong) or BUDGET,
        max_minutes=_positive(value, "max_minutes", int | float, _("a number of minutes"), wrong),
    )


def _every(value: object, wrong: Wrong) -> float:
    found = _EVERY.fullmatch(value) if isinstance(value, str) else None
    if found is None or not int(found[1]):
        raise wrong(
            "schedule.every",
            _('is {value!r}; write a time such as "6h", "1d" or "2w", or the five fields of cron, such as "0 6 * * *"'),
            value=value,
        )
    return int(found[1]) * UNITS[found[2]]


def _cron(value: object, timezone: str, wrong: Wrong) -> str:
    try:
        if not isinstance(value, str) or len(value.split()) != CRON_FIELDS:
            raise CronSimError("Wrong number of fields")
        next(CronSim(value, datetime.now(ZoneInfo(timezone))))
    except (CronSimError, StopIteration) as error:
        why = str(error).lower() or _("there is no such day")
        raise wrong(
            "schedule.cron",
            _('is {value!r} ({why}); write minute, hour, day, month and weekday, such as "0 6 * * *"'),
            value=value,
            why=why,
        ) from error
    return value


def _timezone(value: object, wrong: Wrong) -> str:
    try:
        return ZoneInfo(value if isinstance(value, str) else "").key
    except (ValueError, OSError, LookupError) as error:  # LookupError: a zone there is not, or no zones at all
        remedy = _('write a name such as "Asia/Shanghai"; if this machine has no time zones, `pip install tzdata`')
        raise wrong(
            "schedule.timezone", _("is {value!r}, which is not a known time zone; {remedy}"), value=value, remedy=remedy
        ) from error


def _positive(value: Mapping[str, Any], key: str, kind: Any, what: str, wrong: Wrong) -> Any:
    """The number, None where there is none."""
    number = value.get(key)
    if number is not None and (not isinstance(number, kind) or isinstance(number, bool) or not 0 < number < 1e9):
        raise wrong(f"schedule.{key}", _("is {number!r}; use {what}, more than 0"), number=number, what=what)
    return number


WEBHOOK = re.compile(r"https?://[!-~\w]+")  # no blank, and nothing that would end a header's line
NOTIFY_KEYS = ("webhook", "feed")


@dataclass(frozen=True, slots=True)
class Notify:
    """Who is told of each run of `zhuti harvest`."""

    webhook: str = ""  # http(s) address that gets the news as JSON; "": none
    feed: bool = False  # whether REPORTS_DIR/TOPIC/feed.xml is written


NOBODY = Notify()


def read_notify(value: object, wrong: Wrong) -> Notify:
    """Reads `[notify]` of a parsed topic file. Raises the TopicError that `wrong` makes."""
    if not isinstance(value, dict):
        raise wrong("notify", _('must be a table; write a line [notify], below it webhook = "https://..."'))
    for key in value:
        if key not in NOTIFY_KEYS:
            raise wrong(f"notify.{key}", _("is not a key of [notify]; use some of {keys}"), keys=", ".join(NOTIFY_KEYS))
    webhook, feed = value.get("webhook", ""), value.get("feed", False)
    if not isinstance(webhook, str) or not (webhook == "" or WEBHOOK.fullmatch(webhook)):
        raise wrong("notify.webhook", _("is {value!r}; write an http(s) address, or leave it out"), value=webhook)
    if not isinstance(feed, bool):
        raise wrong("notify.feed", _("is {value!r}; use true or false"), value=feed)
    return Notify(webhook, feed)
