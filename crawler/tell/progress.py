"""What shows how far the work is: a bar for a command, a line for a crawl."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import progress as widgets
from rich.console import Console
from rich.live import Live
from rich.text import Text

from crawler.messages import _
from crawler.tell.outlook import still_waiting

if TYPE_CHECKING:
    from crawler.questions.forecast import Outlook
    from crawler.records import Progress

WINDOW = 10.0  # seconds over which the speed is measured


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Shows a bar on stderr if that is a terminal. The caller passes the number done and the total to the function that
    it gets."""
    console = Console(stderr=True)
    columns = (
        widgets.TextColumn(what),
        widgets.BarColumn(),
        widgets.MofNCompleteColumn(),
        widgets.TimeRemainingColumn(),
    )
    with widgets.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def live_line() -> Iterator[Callable[[str], None]]:
    """Keeps one line at the bottom of the terminal. The caller passes its text to the function that it gets."""
    logs = [one for one in logging.root.handlers if isinstance(one, logging.StreamHandler) and one.stream is sys.stderr]
    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
        for handler in logs:  # what is logged is above the line, not in it
            handler.setStream(sys.stderr)
        yield lambda text: live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)
    for handler in logs:
        handler.setStream(sys.stderr)


def progress_line(progress: Progress, outlook: Outlook | None, pages_per_second: float) -> str:
    """Counts, harvest rate, speed, the time that the rest of a budget will take, and what waits."""
    waiting = still_waiting(progress.waiting, outlook)
    if not progress.fetched:  # a polite crawl reads what its hosts list first, for a minute and more
        side, index = progress.side, progress.index_files
        return _(
            "no page yet; {side} requests for robots.txt and the like, {index} for index files; waiting {waiting}",
            side=side,
            index=index,
            waiting=waiting,
        )
    rate = progress.kept / progress.fetched
    parts = [
        _("{fetched} fetched", fetched=progress.fetched),
        _("{kept} on topic", kept=progress.kept),
        _("harvest rate {rate:.3f}", rate=rate),
        _("{pages_per_second:.1f} pages/s", pages_per_second=pages_per_second),
    ]
    if progress.budget and pages_per_second:
        left = duration(progress.left / pages_per_second)
        parts.append(_("{left} left of the budget of {budget}", left=left, budget=progress.budget))
    return _("{counts}; waiting {waiting}", counts=_(", ").join(parts), waiting=waiting)


def duration(seconds: float) -> str:
    """ "4 s", "12 min", "3.5 h"."""
    if seconds < 120:
        return _("{seconds:.0f} s", seconds=seconds)
    if seconds < 7200:
        return _("{minutes:.0f} min", minutes=seconds / 60)
    return _("{hours:.1f} h", hours=seconds / 3600)


class Speed:
    """Pages per second over the last WINDOW, or since the last call if that is longer ago."""

    def __init__(self, count: int) -> None:
        self._points = [(time.monotonic(), count)]

    def now(self, count: int) -> float:
        moment = time.monotonic()
        self._points = [point for point in self._points if moment - point[0] < WINDOW] or self._points[-1:]
        self._points.append((moment, count))
        (t0, n0), (t1, n1) = self._points[0], self._points[-1]
        return (n1 - n0) / (t1 - t0) if t1 > t0 else 0.0
