"""CPU-heavy work behind `await`: a few processes, each with a thread here that waits for it.

The jobs of a page go to one process, which remembers the page between them, so that it is parsed once. A process does
one job at a time. So a job that takes longer than ANALYSE_TIMEOUT is ended from outside, with its process, whatever it
does; and when a process dies, it is known whose job it was.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, cast

from crawler.crawl.worker import AnalysisError, serve
from crawler.messages import N_
from crawler.records import Analysis, Link, Outlink
from crawler.topic.files import Topic
from crawler.topic.learn import Description

START_SECONDS = 120.0  # for a process to start and load what it needs; on a busy machine imports take long
TRIES = 2  # of a job whose process died: it may have been killed for another's memory
SPAWN = multiprocessing.get_context("spawn")  # fork is unsafe beside the store's thread
INDEX_FILE_TIMES = 3  # as long as the analysis of a page may the reading of an index file take
PLACES = 1024  # pages whose process is remembered; more than are ever under way


class _Died(Exception):
    """The process ended in the middle of a job."""


class Desk:
    """One process and the thread that waits for it."""

    def __init__(self, extractor_name: str, judge_name: str, memory: int) -> None:
        self.topic: Topic | None = None
        self.jobs = 0  # given and not yet done
        self._serve = partial(serve, extractor_name=extractor_name, judge_name=judge_name, memory=memory)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pool")
        self._process: SpawnProcess | None = None
        self._pipe: Connection
        self._closed = False
        self._lock = threading.Lock()

    def submit(self, seconds: float, verb: str, *args: object) -> Future[Any]:
        self._count(1)
        future = self._thread.submit(self._do, seconds, verb, args)
        future.add_done_callback(lambda _: self._count(-1))
        return future

    def _count(self, change: int) -> None:
        with self._lock:
            self.jobs += change

    def _do(self, seconds: float, verb: str, args: tuple[object, ...]) -> Any:
        for _ in range(TRIES):
            with suppress(_Died):
                if self._process is None:
                    self._start()
                return self._ask(seconds, verb, args)
        raise AnalysisError(N_("the analysis process died: it ran out of memory or was killed"))

    def _start(self) -> None:
        self._pipe, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=self._serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._ask(START_SECONDS, "warm_up", ())
        if self.topic is not None:
            self._ask(START_SECONDS, "take", (self.topic,))

    def _ask(self, seconds: float, verb: str, args: tuple[object, ...]) -> Any:
        if self._closed:
            raise AnalysisError(N_("the crawl has ended"))
        try:
            self._pipe.send((verb, args))
            if not self._pipe.poll(seconds):
                self._kill()
                raise AnalysisError(N_("the analysis took longer than ANALYSE_TIMEOUT"))
            answer = self._pipe.recv()
        except (EOFError, OSError):
            self._kill()
            raise _Died from None
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
        """At once, also in the middle of a job, which fails then. From another thread."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._kill()


class Pool:
    """All methods are called from the event loop. Jobs raise AnalysisError for a page that cannot be analysed,
    ModelError when the extractor's model cannot be used."""

    def __init__(
        self, extractor_name: str, *, processes: int, timeout: float, memory: int = 0, judge_name: str = ""
    ) -> None:
        """`timeout`: seconds that a job may take. `memory`: megabytes that a process may take, 0: any. `judge_name`: a
        value of PAGE_JUDGE."""
        self._desks = [Desk(extractor_name, judge_name, memory) for _ in range(processes)]
        self._places: dict[str, Desk] = {}  # by address of a page between its jobs
        self._timeout = timeout

    async def warm_up(self) -> None:
        """Starts the processes before the first page needs them."""
        await self._all("warm_up")

    async def take(self, topic: Topic) -> None:
        """The learned topic, against which pages are judged from now on."""
        for desk in self._desks:
            desk.topic = topic
        await self._all("take", topic)

    async def describe(self, markup: str) -> Description:
        """A page that describes a topic."""
        return cast("Description", await self._give(self._idlest(), "describe", markup))

    async def links(self, url: str, markup: str, index_files: bool = False) -> tuple[Link, ...]:
        """`index_files`: with those to index files."""
        desk = self._places[url] = self._idlest()
        if len(self._places) > PLACES:
            del self._places[next(iter(self._places))]
        return cast("tuple[Link, ...]", await self._give(desk, "links", url, markup, index_files))

    async def extract(self, url: str, markup: str) -> Analysis:
        """The analysis without links and judgement."""
        return cast("Analysis", await self._give(self._places.get(url) or self._idlest(), "extract", url, markup))

    async def judge(self, url: str, markup: str, found: Analysis) -> Analysis:
        """The same analysis with its judgement, and the relevance of its links. The page's last job."""
        desk = self._places.pop(url, None) or self._idlest()
        links = [outlink.link for outlink in found.outlinks]
        index_files = any(link.index_kind for link in links)
        judgement, worth = await self._give(
            desk, "judge", url, markup, found.extraction.title, found.subjects, index_files
        )
        outlinks = tuple(Outlink(link, *values) for link, values in zip(links, worth, strict=True))
        return replace(found, judgement=judgement, outlinks=outlinks)

    async def index_file(self, url: str, content: bytes, now: float) -> Analysis | str:
        """What an index file lists, with its worth for the topic; or why it is no index file."""
        desk = self._idlest()
        answer = desk.submit(INDEX_FILE_TIMES * self._timeout, "index_file", url, content, now)
        return cast("Analysis | str", await asyncio.wrap_future(answer))

    async def analyse(self, url: str, markup: str) -> Analysis:
        """All three in one job."""
        return cast("Analysis", await self._give(self._idlest(), "analyse", url, markup))

    def close(self) -> None:
        """Ends the processes, also in the middle of a job. Waits for them."""
        for desk in self._desks:
            desk.stop()

    def _idlest(self) -> Desk:
        return min(self._desks, key=lambda desk: desk.jobs)

    async def _give(self, desk: Desk, verb: str, *args: object) -> Any:
        return await asyncio.wrap_future(desk.submit(self._timeout, verb, *args))

    async def _all(self, verb: str, *args: object) -> None:
        await asyncio.gather(*(asyncio.wrap_future(desk.submit(START_SECONDS, verb, *args)) for desk in self._desks))
