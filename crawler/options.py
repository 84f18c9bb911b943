"""Checks of what a user gives, settings and arguments, so that a typo is reported before anything starts.

The types of arguments raise ArgumentTypeError, from which argparse makes the message.
"""

from __future__ import annotations

import logging
import math
import re
from argparse import ArgumentTypeError
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from urllib.request import getproxies

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object

import crawler.settings as ours
from crawler.clock import wall_time
from crawler.errors import SettingError
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.reader.text.robots_groups import TRAINING, USES
from crawler.records import PageKind

PROXY = re.compile(r"(?:(?:[a-z][a-z0-9+.-]*:)?//|(?![a-z][a-z0-9+.-]*:/))[^/]", re.IGNORECASE)  # an address
NEAR = 0.88  # likeness of a misspelt name to the one that is meant, difflib; CONCURRENT_REQUESTS_PER_IP has .86
AGE = re.compile(r"(\d{1,5})([dwmy])")
CONTACT = re.compile(
    r"https?://[^\s/.]+\.[^\s;,()]+|[^\s@;,()+<>]+@[^\s@;,()<>]+\.[^\s@;,()<>]+"
)  # a page, a mail address
LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
FORMER = (  # settings that were renamed or taken out with 0.3: a limit that no longer counts must not go unnoticed
    *("LABELLER_URL", "LABELLER_MODEL", "MAX_PAGES_PER_HOST", "CDX_URL", "SEARCH_DIR", "TDMREP_OBEY", "AI_TXT_OBEY"),
    *("CHANGED_SHARE", "INDEX_FILE_GUESSES", "PROGRESS_INTERVAL", "REPORTS_KEEP"),
)
DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


@dataclass(frozen=True, slots=True)
class Number:
    """What a number may be. Called with a text, it is the type of an argument."""

    unit: str  # what it counts or measures, in words for the user
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
        kind = _("a whole number") if self.whole else _("a number")
        bounds = (
            _("from {least:g} on", least=self.least)
            if math.isinf(self.most)
            else _("from {least:g} to {most:g}", least=self.least, most=self.most)
        )
        return _("{kind} {bounds} ({unit})", kind=kind, bounds=bounds, unit=self.unit)

    def __call__(self, text: str) -> float:
        if not self.admits(text):
            raise ArgumentTypeError(_("{text!r} cannot be used; give {number}", text=text, number=self))
        return int(text) if self.whole else float(text)


NUMBERS = {
    "PAGE_BUDGET": Number(_("pages, 0 for no limit")),
    "PAGE_TARGET": Number(_("pages kept, 0 for no target")),
    "RUN_BUDGET": Number(_("requests, 0 for no limit")),
    "HISTORY": Number(_("older versions of a page, 0 for none")),
    "STOP_BELOW": Number(_("a harvest rate such as 0.02, 0 for never"), most=1, whole=False),
    "HOSTS_AT_ONCE": Number(_("hosts, 0 for all")),
    "PATIENCE": Number(_("times longer than without waiting"), least=1, whole=False),
    "FURTHER_PAGES": Number(_("pages, 0 for none")),
    "MAX_PAGES_PER_DOMAIN": Number(_("pages, 0 for no limit")),
    "ANALYSE_PROCESSES": Number(_("processes, 0 for one per processor")),
    "ANALYSE_TIMEOUT": Number(_("seconds"), least=0.1, whole=False),
    "ANALYSE_MEMORY": Number(_("megabytes, 0 for no limit")),
    "METRICS_PORT": Number(_("a port, 0 for none"), most=65535),
    "WARC_SIZE": Number(_("bytes"), least=1),
    "DOWNLOAD_DELAY": Number(_("seconds"), whole=False),
    "CONCURRENT_REQUESTS": Number(_("requests"), least=1),
    "CONCURRENT_REQUESTS_PER_DOMAIN": Number(_("requests"), least=1),
    "DOWNLOAD_TIMEOUT": Number(_("seconds"), least=0.1, whole=False),
    "DOWNLOAD_MAXSIZE": Number(_("bytes, 0 for no limit")),
    "RETRY_TIMES": Number(_("further attempts after the first")),
    "METAREFRESH_MAXDELAY": Number(_("seconds")),
    "CLOSESPIDER_TIMEOUT": Number(_("seconds, 0 for no end"), whole=False),
    "CLOSESPIDER_PAGECOUNT": Number(_("pages, 0 for no end")),
    "CLOSESPIDER_ITEMCOUNT": Number(_("pages, 0 for no end")),
    "CLOSESPIDER_ERRORCOUNT": Number(_("errors, 0 for no end")),
    "DNS_TIMEOUT": Number(_("seconds"), whole=False),
}


def check_settings(settings: BaseSettings) -> None:
    """Raises SettingError for the first setting that is misspelt, out of its range or no number."""
    _check_names(settings)
    check_switches(settings)
    check_numbers(settings)
    encoding = settings["HTTPPROXY_AUTH_ENCODING"]
    for name in getproxies().keys() & {"http", "https"}:
        user, _at, place = getproxies()[name].rpartition("@")
        user = unquote(user)  # Scrapy would ask without a proxy that is not one, or whose password it cannot write
        if user.encode(encoding, "ignore").decode(encoding) != user or not PROXY.match(place):
            raise SettingError(
                _("{name}_proxy is not an address, or needs -s HTTPPROXY_AUTH_ENCODING=utf-8"),
                name=name,
            )


def check_numbers(settings: BaseSettings) -> None:
    """Raises SettingError for the first one that is out of its range or no number."""
    for name, number in NUMBERS.items():
        if name in settings and not number.admits(settings[name]):
            raise SettingError(
                _("{name}={value} cannot be used; give {number}"), name=name, value=settings[name], number=number
            )


def check_log(settings: BaseSettings) -> None:
    """Raises SettingError for a LOG_FILE that cannot be written, or a LOG_FORMAT by which no line can be written."""
    form = settings["LOG_FORMAT"]
    try:
        logging.Formatter(form).format(logging.makeLogRecord({"msg": "", "levelno": logging.INFO}))
    except (ValueError, TypeError, KeyError) as error:
        raise SettingError(
            _("LOG_FORMAT={form} cannot be used; give fields of Python's logging, such as {example}"),
            form=form,
            example=default_settings.LOG_FORMAT,
        ) from error
    if path := settings["LOG_FILE"]:
        with at_path(path, SettingError, "LOG_FILE"), Path(path).open("a"):
            pass


def check_addons(settings: BaseSettings) -> None:
    """Raises SettingError for one that cannot be loaded. Scrapy loads them before a command runs."""
    for path in build_component_list(settings.getdict("ADDONS")):
        try:
            load_object(path)
        except (ImportError, NameError, ValueError, TypeError) as error:
            raise SettingError(
                _("ADDONS: {path} cannot be loaded ({error}); correct its path"), path=path, error=error
            ) from error


def check_switches(settings: BaseSettings) -> None:
    """Raises SettingError for a LOG_LEVEL that there is not, or a switch that is neither on nor off. Scrapy reads these
    before a command runs, and would end with a traceback."""
    level = str(settings["LOG_LEVEL"])
    if not (level.isdigit() or level in LEVELS):
        raise SettingError(
            _("LOG_LEVEL={level} cannot be used; give one of {levels}"), level=level, levels=", ".join(LEVELS)
        )
    for name in settings:
        default = getattr(ours, name, getattr(default_settings, name, None))
        names_use = name == "MINING_TAGS_OBEY" and str(settings[name]).lower() in USES
        if isinstance(default, bool) and name != "INDEX_FILES" and not names_use:
            try:
                settings.getbool(name)
            except ValueError as error:
                raise SettingError(
                    _("{name}={value} cannot be used; give True or False"), name=name, value=settings[name]
                ) from error


def user_agent(settings: BaseSettings) -> str:
    """USER_AGENT with CONTACT. Raises SettingError for a CONTACT that is neither a page nor a mail address."""
    agent, contact = str(settings["USER_AGENT"]), str(settings["CONTACT"]).strip()
    if not contact or contact in agent:
        return agent
    if not CONTACT.fullmatch(contact):
        raise SettingError(
            _("CONTACT={contact} cannot be used; give a page like https://me.org/crawl or a mail address"),
            contact=contact,
        )
    return f"{agent} (+{contact})"


def waived(settings: BaseSettings) -> frozenset[str]:
    """What publishers forbid and the user does not obey."""
    from crawler.reader.html.declared import FOR_MINING, FOR_ROBOTS, NOAI  # brings lxml along

    robots = frozenset() if settings.getbool("ROBOTS_TAGS_OBEY") else FOR_ROBOTS
    use = corpus_for(settings)
    return robots | (frozenset({NOAI}) if use != TRAINING else frozenset()) if use else robots | FOR_MINING


def corpus_for(settings: BaseSettings) -> str:
    """The use for which publishers are asked, by MINING_TAGS_OBEY; "": none."""
    value = str(settings["MINING_TAGS_OBEY"]).lower()
    return value if value in USES else TRAINING if settings.getbool("MINING_TAGS_OBEY") else ""


def has_contact(agent: str) -> bool:
    """Whether a user agent says how to reach the crawl's owner."""
    return any("example.com" not in found[0] for found in CONTACT.finditer(agent))


def reads_pdf(settings: BaseSettings) -> bool:
    """Reads PDF. Raises SettingError where what reads them is not installed."""
    wanted = settings.getbool("PDF")
    if wanted and find_spec("pypdfium2") is None:
        raise SettingError(_("PDF=True needs pypdfium2; pip install 'zhuti[pdf]', or give PDF=False"))
    return wanted


def renders(settings: BaseSettings) -> bool:
    """Reads RENDER. Raises SettingError for another value, or where what starts Chromium is not installed."""
    given = str(settings["RENDER"]).strip().lower()
    if given not in ("auto", "off"):
        raise SettingError(_("RENDER={given} cannot be used; give auto or off"), given=settings["RENDER"])
    if given == "auto" and find_spec("playwright") is None:
        raise SettingError(_("RENDER=auto needs playwright; pip install 'zhuti[render]', or give RENDER=off"))
    return given == "auto"


def metrics_port(settings: BaseSettings) -> int:
    """Reads METRICS_PORT. Raises SettingError where what writes metrics is not installed."""
    port = settings.getint("METRICS_PORT")
    if port and find_spec("prometheus_client") is None:
        raise SettingError(_("METRICS_PORT needs prometheus_client; pip install 'zhuti[metrics]', or give 0"))
    return port


def index_file_kinds(settings: BaseSettings) -> frozenset[str]:
    """Reads INDEX_FILES. Raises SettingError for a kind of index file that there is not."""
    from crawler.discovery.finder import (
        ASKED,
        KINDS,  # brings much along that most commands do not need
    )

    given = str(settings["INDEX_FILES"]).strip().lower()
    named = frozenset(given.replace(" ", "").split(",")) - {"false", "0", ""}
    if named & {"true", "1"}:
        named = named - {"true", "1"} | KINDS
    known = KINDS | {"search"}
    if named <= known:
        return named | ASKED if "search" in named else named
    kinds = ", ".join(sorted(known))
    raise SettingError(
        _("INDEX_FILES={index_files} cannot be used; give True, False, or some of {kinds}"),
        index_files=settings["INDEX_FILES"],
        kinds=kinds,
    )


def _check_names(settings: BaseSettings) -> None:
    """Scrapy takes any name; one that is nearly ours, or nearly one of NUMBERS, is a slip. Another project has settings
    of its own, so there only those of the command line are looked at."""
    least = SETTINGS_PRIORITIES["project" if settings["BOT_NAME"] == ours.BOT_NAME else "cmdline"]
    known = {*dir(default_settings), *dir(ours)}
    meant = {*filter(str.isupper, dir(ours)), *NUMBERS}
    for name in settings:
        if name in FORMER and settings[name] not in ("", None):
            raise SettingError(_("{name} was removed or renamed in 0.3; take it out (see CHANGELOG.md)"), name=name)
        given = (settings.getpriority(name) or 0) >= least
        if given and name not in known and (near := get_close_matches(name.upper(), meant, 1, NEAR)):
            raise SettingError(_("unknown setting {name}; did you mean {near}?"), name=name, near=near[0])


def retry_codes(settings: BaseSettings) -> frozenset[int]:
    """Reads RETRY_HTTP_CODES. Raises SettingError if one of them is not a number."""
    codes = settings.getlist("RETRY_HTTP_CODES")
    try:
        return frozenset(int(code) for code in codes)
    except ValueError as error:
        written = ",".join(map(str, codes))
        raise SettingError(
            _("RETRY_HTTP_CODES={written} cannot be used; give HTTP statuses, like 500,503"), written=written
        ) from error


def slowest_refresh(settings: BaseSettings) -> int:
    """Seconds that a meta refresh may wait to count as a redirect; -1 when none counts."""
    return settings.getint("METAREFRESH_MAXDELAY") if settings.getbool("METAREFRESH_ENABLED") else -1


def topic_name(given: str) -> str:
    """A topic's name, also where its file is given. Raises TopicError."""
    if not given.endswith(".toml"):
        return given
    from crawler.topic.files import Topic  # brings much along that most commands do not need

    return Topic.load(given).name


def page_kinds(text: str) -> list[str]:
    """The type of `--kind`, kinds with commas between them."""
    kinds = [name.strip().lower() for name in text.split(",")]
    if unknown := [name for name in kinds if name not in list(PageKind)]:
        raise ArgumentTypeError(
            _("unknown kind {unknown!r}; choose from {kinds}", unknown=unknown[0], kinds=", ".join(PageKind))
        )
    return kinds


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(_("{text!r} is not a day; write one like 2026-01-31", text=text)) from error


def age(text: str) -> float:
    """The time so long ago, or the beginning of a day; seconds since the epoch."""
    long_ago = AGE.fullmatch(text)
    try:
        if long_ago:
            now = datetime.fromtimestamp(wall_time(), UTC)
            return (now - timedelta(days=int(long_ago[1]) * DAYS[long_ago[2]])).timestamp()
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError) as error:
        raise ArgumentTypeError(
            _("{text!r} is not an age; write 90d, 12w, 6m, 2y or a day like 2026-01-31", text=text)
        ) from error
