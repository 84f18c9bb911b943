"""How a command ends: exit statuses, a user's mistake as a sentence, and signals."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from crawler.errors import CrawlerError, InUse
from crawler.messages import _
from crawler.reader.text.printable import printable

logger = logging.getLogger(__name__)

FAILED = 1  # a run failed
MISTAKE = 2  # after a user's mistake, like argparse's
BUSY = 3  # another process is at work on the topic or the file
INTERRUPTED = 130  # after Ctrl-C, like a shell's


def print_error(error: CrawlerError) -> int:
    """Prints the sentence, in which a stranger may have had a say, and returns the exit status."""
    print(_("Error: {error}", error=printable(str(error))), file=sys.stderr)
    return BUSY if isinstance(error, InUse) else MISTAKE


@contextmanager
def ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and Ctrl-C call `end` meanwhile."""
    before = {number: signal.signal(number, lambda *_: end()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_grave(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


def mute_scrapy(muted: bool) -> None:
    """Whether Scrapy's main parts log warnings and errors only, as they do until a crawl has begun: their lists of
    settings and components would hide the one sentence that says why it does not. Scrapy resets levels, not filters."""
    for name in ("utils.log", "addons", "crawler", "middleware", "core.engine", "extensions", "statscollectors"):
        logger = logging.getLogger(f"scrapy.{name}")
        (logger.addFilter if muted else logger.removeFilter)(_is_grave)


def say_what_nobody_caught() -> None:
    """Scrapy's own command does not catch a CrawlerError, and asyncio would log it with a traceback. From now on it is
    one sentence in the log."""
    with suppress(RuntimeError):  # no asyncio: nothing to do
        loop = asyncio.get_running_loop()
        if loop.get_exception_handler() is None:
            loop.set_exception_handler(_as_sentence)


def _as_sentence(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    if isinstance(error := context.get("exception"), CrawlerError):
        logger.error("%s", error)
    else:
        loop.default_exception_handler(context)
