"""CPU-heavy work behind `await`: a small process pool that runs `analyse`."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from types import FrameType
from typing import TypeVar

from crawler.analyse import Analyser
from crawler.records import Analysis
from crawler.topic.files import Topic

T = TypeVar("T")

_analyser: Analyser  # of this worker process, set by _start


class AnalysisError(Exception):
    """The page could not be analysed; the message says why, the crawl goes on."""


def _die_with_parent() -> None:
    """A killed crawler closes no pipe that a worker waits on: without this its workers would live for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _out_of_time(_signum: int, _frame: FrameType | None) -> None:
    raise AnalysisError("the analysis took longer than ANALYSE_TIMEOUT")


def _start(topic: Topic, extractor_name: str) -> None:
    global _analyser
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the crawler decides when to stop
    signal.signal(signal.SIGALRM, _out_of_time)
    threading.Thread(target=_die_with_parent, daemon=True).start()
    _analyser = Analyser.of(topic, extractor_name)
    gc.freeze()  # what lives as long as the process is not gone through again and again: 4 % of a page's time


def _analyse(markup: str, url: str, timeout: float) -> Analysis:
    signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        return _analyser.analyse(markup, url)
    except AnalysisError:
        raise
    except Exception as error:  # the boundary: whatever one page provokes, the others go on
        raise AnalysisError(f"the analysis failed: {type(error).__name__}: {error}") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _ready() -> None:
    """A first job: makes a worker start, and fail early if it cannot."""


class Workers:
    """`await workers.analyse(markup, url)`; a page that kills its worker harms no other page."""

    def __init__(self, topic: Topic, extractor_name: str, *, processes: int, timeout: float) -> None:
        self.processes = processes
        self._timeout = timeout
        self._make_pool: Callable[[int], ProcessPoolExecutor] = lambda number: ProcessPoolExecutor(
            number,
            mp_context=multiprocessing.get_context("spawn"),  # fork is unsafe beside the store's thread
            initializer=_start,
            initargs=(topic, extractor_name),
        )
        self._pool = self._make_pool(processes)
        self._alone = asyncio.Lock()

    async def warm_up(self) -> None:
        """Start the processes before the first page needs them."""
        await asyncio.gather(*(self._run(_ready) for _ in range(self.processes)))

    async def analyse(self, markup: str, url: str) -> Analysis:
        """Raises AnalysisError when this page cannot be analysed."""
        try:
            return await self._run(_analyse, markup, url, self._timeout)
        except BrokenProcessPool:
            return await self._analyse_alone(markup, url)

    async def _analyse_alone(self, markup: str, url: str) -> Analysis:
        """A broken pool fails every page under way and does not tell which one broke it: each is tried again by itself,
        in a process that no other page can take along."""
        async with self._alone:
            pool = self._make_pool(1)
            try:
                return await asyncio.get_running_loop().run_in_executor(pool, _analyse, markup, url, self._timeout)
            except BrokenProcessPool:
                raise AnalysisError("the analysis process died, out of memory or killed") from None
            finally:
                await asyncio.to_thread(pool.shutdown)

    async def _run(self, job: Callable[..., T], *args: object) -> T:
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, job, *args)
        except BrokenProcessPool:
            if pool is self._pool:  # the first to notice puts up a new one
                self._pool = self._make_pool(self.processes)
            raise

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
