"""What strangers wrote, read by commands and by the board as a crawl reads pages: in a process that is ended when it
takes too much."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from scrapy.settings import BaseSettings

from crawler.crawl.pool import WorkerProcess


class Aside:
    """Calls of one function in a process of its own: ANALYSE_TIMEOUT seconds of a processor each, ANALYSE_MEMORY."""

    def __init__(self, settings: BaseSettings, make: Callable[[], Callable[..., Any]] | None = None) -> None:
        """`make`: makes the function, in the process; without it the first argument of each call is the function."""
        self._seconds = settings.getfloat("ANALYSE_TIMEOUT")
        self._process = WorkerProcess(make or _any_function, settings.getint("ANALYSE_MEMORY"))

    def __call__(self, *args: Any) -> Any:
        """Raises CostlyError when it takes too much, AnalysisError when it fails, or a CrawlerError of its own."""
        return self._process.submit(self._seconds, "__call__", *args).result()


def _any_function() -> Callable[..., Any]:
    return operator.call
