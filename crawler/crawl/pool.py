"""CPU-heavy work behind `await`: a few processes, each with a thread here that waits for it.

A page is one job with three answers: links, extraction and judgement. A process does one job at a time. So a job that
takes longer than ANALYSE_TIMEOUT is ended from outside, with its process, whatever it does; and when a process dies, it
is known whose job it was.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from tempfile import gettempdir
from time import monotonic
from types import ModuleType
from typing import Any, cast

from crawler.crawl.shares import Shares
from crawler.crawl.worker import CostlyError, ended, serve
from crawler.html.urls import domain, host
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Parts
from crawler.topic.files import Topic
from crawler.topic.learn import Description

START_SECONDS = 120.0  # for a process to start and load what it needs; on a busy machine imports take long
PARTS = 3  # answers to a page: links, extraction, judgement
TRIES = 2  # of a job whose process died: it may have been killed for another's memory
# Forks of one process that has loaded what they need. A fork of this process is unsafe beside the store's thread.
# Where the folder of temporary files has too long a name for a socket (104 bytes on macOS, with some 35 for the name of
# the socket), each loads what it needs.
MOST_OF_FOLDER = 65  # bytes
PROCESSES: ForkServerContext | SpawnContext = (
    multiprocessing.get_context("forkserver")
    if len(os.fsencode(gettempdir())) <= MOST_OF_FOLDER
    else multiprocessing.get_context("spawn")
)
PRELOADED = ["crawler.crawl.preloaded"]
INDEX_FILE_TIMES = 3  # as long as the analysis of a page may the reading of an index file take


_starting = threading.Lock()


@contextmanager
def _no_main_program() -> Iterator[None]:
    """A process imports the program that started it. Ours need nothing of it: Scrapy's command line takes half a
    second, and a script without the `__main__` guard would start another crawl."""
    with _starting:
        main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


class _Died(Exception):
    """The process ended in the middle of a job."""


class WorkerProcess:
    """One process and the thread that waits for it."""

    def __init__(self, extractor_name: str, judge_name: str, memory: int, pdf: bool) -> None:
        self.topic: Topic | None = None
        self.jobs = 0  # given and not yet done
        self._serve = partial(serve, extractor_name=extractor_name, judge_name=judge_name, memory=memory, pdf=pdf)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pool")
        self._process: BaseProcess | None = None
        self._pipe: Connection
        self._closed = False
        self._lock = threading.Lock()

    def submit(self, seconds: float, verb: str, *args: object) -> list[Future[Any]]:
        """The future of the answer."""
        return self._submit([], self._do, seconds, verb, args)

    def submit_page(self, shares: Shares, of: str, seconds: float, *args: object) -> list[Future[Any]]:
        """One future for each part of a page of the domain `of`. When the job fails, so do those that have no answer
        yet."""
        return self._submit([Future() for _ in range(PARTS - 1)], self._do_page, shares, of, seconds, args)

    def _submit(self, early: list[Future[Any]], do: Callable[..., Any], *args: object) -> list[Future[Any]]:
        """Raises CrawlEnded after `stop`."""
        for future in early:
            future.set_running_or_notify_cancel()  # from now on it cannot be cancelled
        with self._lock:
            self._check_open()
            last = self._thread.submit(do, *args, early)
            self.jobs += 1
        last.add_done_callback(partial(self._done, early))
        return [*early, last]

    def _done(self, early: Sequence[Future[Any]], last: Future[Any]) -> None:
        with self._lock:
            self.jobs -= 1
        for future in early:
            if not future.done():
                future.set_exception((None if last.cancelled() else last.exception()) or ended())

    def _do(self, seconds: float, verb: str, args: tuple[object, ...], early: Sequence[Future[Any]]) -> Any:
        for _ in range(TRIES):
            with suppress(_Died):
                if self._process is None:
                    self._start()
                return self._ask(seconds, verb, args, early)
        raise CostlyError(Reason(Code.DIED))

    def _do_page(
        self, shares: Shares, of: str, seconds: float, args: tuple[object, ...], early: Sequence[Future[Any]]
    ) -> Any:
        """A page of the domain `of`, as its share allows."""
        allowed = shares.patience(of, seconds)
        if not allowed:
            raise CostlyError(Reason(Code.SLOW_DOMAIN))
        began = monotonic()
        try:
            answer = self._do(allowed, "page", args, early)
        except CostlyError as error:
            shares.took(of, monotonic() - began, costly=True)
            if allowed < seconds:
                raise CostlyError(Reason(Code.SLOW_SHARE)) from error
            raise
        shares.took(of, monotonic() - began, costly=False)
        return answer

    def _check_open(self) -> None:
        if self._closed:
            raise ended()

    def _start(self) -> None:
        self._check_open()
        self._pipe, theirs = PROCESSES.Pipe()
        process = PROCESSES.Process(target=self._serve, args=(theirs,), daemon=True)
        with _no_main_program():
            process.start()
        self._process = process  # not before: `stop` cannot kill what has not started
        theirs.close()
        self._ask(START_SECONDS, "warm_up", ())
        if self.topic is not None:
            self._ask(START_SECONDS, "take", (self.topic,))

    def _ask(self, seconds: float, verb: str, args: tuple[object, ...], early: Sequence[Future[Any]] = ()) -> Any:
        """Returns the last answer, after the others have gone to their futures."""
        self._check_open()
        deadline = monotonic() + seconds
        try:
            self._pipe.send((verb, args))
            for future in early:
                answer = self._receive(deadline)
                if not future.done():  # at the second try it has its answer
                    future.set_result(answer)
            return self._receive(deadline)
        except (EOFError, OSError):
            self._kill()
            raise _Died from None

    def _receive(self, deadline: float) -> Any:
        if not self._pipe.poll(max(0.0, deadline - monotonic())):
            self._kill()
            raise CostlyError(Reason(Code.SLOW))
        answer = self._pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            self._pipe.close()

    def stop(self) -> None:
        """At once, also in the middle of a job: it fails with CrawlEnded, like those that wait. From another thread."""
        with self._lock:
            self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        self._thread.shutdown()
        self._kill()


class Pool:
    """All methods are called from the event loop. Jobs raise AnalysisError for a page that cannot be analysed,
    ModelError when the extractor's model cannot be used."""

    def __init__(
        self,
        extractor_name: str,
        *,
        processes: int,
        timeout: float,
        memory: int = 0,
        judge_name: str = "",
        pdf: bool = False,
    ) -> None:
        """`timeout`: seconds that a job may take. `memory`: megabytes that a process may take, 0: any. `judge_name`: a
        value of PAGE_JUDGE. `pdf`: pages have links to PDF documents."""
        PROCESSES.set_forkserver_preload(PRELOADED)
        self._processes = [WorkerProcess(extractor_name, judge_name, memory, pdf) for _ in range(processes)]
        self._timeout = timeout
        self._shares = Shares()

    async def warm_up(self) -> None:
        """Starts the processes before the first page needs them; and reads the public suffix list meanwhile, a tenth of
        a second in which the event loop would stand still."""
        await asyncio.gather(self._all("warm_up"), asyncio.to_thread(domain, "a.example"))

    async def take(self, topic: Topic) -> None:
        """The learned topic, against which pages are judged from now on."""
        for process in self._processes:
            process.topic = topic
        await self._all("take", topic)

    async def describe(self, markup: str) -> Description:
        """A page that describes a topic."""
        return cast("Description", await self._give("describe", markup))

    async def is_shell(self, markup: str) -> bool:
        """Whether scripts make what the page shows."""
        return cast("bool", await self._give("is_shell", markup))

    def page(self, url: str, content: bytes, encoding: str, index_files: bool = False) -> Parts:
        """Begins the analysis of a page. `index_files`: its links are to include those to index files."""
        of = domain(host(url))
        self._shares.wait(of)
        futures = self._idlest().submit_page(self._shares, of, self._timeout, url, content, encoding, index_files)
        futures[-1].add_done_callback(lambda _: self._shares.done(of))
        parts = [asyncio.wrap_future(future) for future in futures]
        for part in parts:
            part.add_done_callback(_forgive)
        return Parts(*parts)

    async def index_file(self, url: str, content: bytes, now: float, kind: str) -> Analysis | Reason:
        """What an index file lists, with its worth for the topic; or why it is no index file."""
        return cast(
            "Analysis | Reason", await self._give("index_file", url, content, now, kind, times=INDEX_FILE_TIMES)
        )

    async def analyse(self, url: str, content: bytes, encoding: str) -> Analysis:
        """The whole analysis of a page as one answer."""
        return cast("Analysis", await self._give("analyse", url, content, encoding))

    def close(self) -> None:
        """Ends the processes, also in the middle of a job. Waits for them."""
        for process in self._processes:
            process.stop()

    def _idlest(self) -> WorkerProcess:
        return min(self._processes, key=lambda process: process.jobs)

    async def _give(self, verb: str, *args: object, times: int = 1) -> Any:
        (answer,) = self._idlest().submit(times * self._timeout, verb, *args)
        return await asyncio.wrap_future(answer)

    async def _all(self, verb: str, *args: object) -> None:
        answers = [answer for process in self._processes for answer in process.submit(START_SECONDS, verb, *args)]
        await asyncio.gather(*map(asyncio.wrap_future, answers))


def _forgive(part: asyncio.Future[Any]) -> None:
    """A part for which nobody asks any more may fail: asyncio would log its exception."""
    if not part.cancelled():
        part.exception()
