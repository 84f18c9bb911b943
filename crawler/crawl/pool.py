"""CPU-heavy work behind `await`: a few processes, each with a thread here that waits for it.

A process does one job at a time; a page is one job. So a job that takes more processor time than ANALYSE_TIMEOUT is
ended from outside, with its process, whatever it does; and when a process dies, it is known whose job it was. Of wall
time a job may take WALL_TIMES as much: on a busy machine a page waits for a processor, which is not its mistake.

Which registered domain has taken how much of it is counted, so that none takes it all (`Shares`):

- A domain is dear when it has taken more than SHARE of all seconds, and a page of it takes more than DEAR times as long
  as one of the others. While others wait, its pages have HURRIED_TIMES what the others take, at least HURRIED seconds.
- A page that takes too long, or ends its process, is worth COSTLY misses. A domain with more than MOST_MISSES of them,
  less the pages that were analysed, is refused: its pages fail at once.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from time import clock_gettime, monotonic
from types import ModuleType
from typing import Any, cast

from crawler.bounded_dict import BoundedDict
from crawler.crawl.worker import READY, CostlyError, Worker, ended, serve
from crawler.frontier.politeness import MOST_MISSES, HostRecord
from crawler.processes import PROCESSES
from crawler.reader.html.urls import domain, host
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Judgement
from crawler.topic.files import Topic
from crawler.topic.learn import Description

SHARE = 0.2  # of all seconds of analysis; own choice
DEAR = 4.0  # times the mean of the others' pages; own choice
HURRIED = 2.0  # seconds; the dearest pages of lab/benchmarks/hostile take as long
HURRIED_TIMES = 10.0  # times the same; own choice
FORGOTTEN = 600.0  # seconds of analysis after which all counts are halved: what was long ago counts little
NO_RECORD = HostRecord()


@dataclass(slots=True)
class _Taken:
    seconds: float = 0.0
    pages: float = 0.0
    record: HostRecord = NO_RECORD

    @property
    def mean(self) -> float:
        return self.seconds / self.pages if self.pages else 0.0


class Shares:
    def __init__(self) -> None:
        self._all = _Taken()
        self._domains: BoundedDict[str, _Taken] = BoundedDict()
        self._waiting: Counter[str] = Counter()  # jobs that are not done, by domain
        self._lock = threading.Lock()

    def wait(self, domain: str) -> None:
        """A job is given; `done` ends it."""
        with self._lock:
            self._waiting[domain] += 1

    def done(self, domain: str) -> None:
        with self._lock:
            self._waiting[domain] -= 1
            if not self._waiting[domain]:
                del self._waiting[domain]

    def patience(self, domain: str, seconds: float) -> float:
        """How long a page of the domain may take now, where `seconds` is what any page may; 0.0 for not at all."""
        with self._lock:
            its = self._domains.get(domain)
            if its is None:
                return seconds
            if its.record.debt > MOST_MISSES:
                return 0.0
            others = _Taken(self._all.seconds - its.seconds, self._all.pages - its.pages)
            alone = len(self._waiting) <= (domain in self._waiting)
            if alone or its.seconds <= SHARE * self._all.seconds or its.mean <= DEAR * others.mean:
                return seconds
            return min(seconds, max(HURRIED, HURRIED_TIMES * others.mean))

    def took(self, domain: str, seconds: float, costly: bool) -> None:
        """A page of the domain took so long. `costly`: too long, or it ended its process."""
        with self._lock:
            its = self._domains.made(domain, _Taken)
            its.record = its.record.with_one(200, costly)
            for taken in (its, self._all):
                taken.seconds += seconds
                taken.pages += 1
            if self._all.seconds > FORGOTTEN:
                for taken in (*self._domains.values(), self._all):
                    taken.seconds /= 2
                    taken.pages /= 2


START_SECONDS = 120.0  # for a process to start and load what it needs; on a busy machine imports take long
TRIES = 2  # of a job whose process died: it may have been killed for another's memory
PRELOADED = ["crawler.crawl.preloaded"]
# A job may take this many times as long on the clock as of a processor. The busiest machine that was measured gave a
# process .07 of a processor.
WALL_TIMES = 15
LOOK = 0.05  # seconds, at least, until it is looked again how much processor time a job has taken
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


def processor_seconds(pid: int) -> float:
    """Processor time that a process has taken, in seconds; where the system has no such clock, the time itself. Raises
    OSError where it has ended."""
    if sys.platform != "linux":
        return monotonic()
    return clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3), which Python does not have


class _Died(Exception):
    """The process ended in the middle of a job."""


class WorkerProcess:
    """One process and the thread that waits for it."""

    def __init__(self, make: Callable[[], Any], memory: int) -> None:
        """`make`: makes in the process what has the jobs as methods. `memory`: as of Pool."""
        PROCESSES.set_forkserver_preload(PRELOADED)
        self.topic: Topic | None = None
        self.jobs = 0  # given and not yet done
        self._serve = partial(serve, make=make, memory=memory)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pool")
        self._process: BaseProcess | None = None
        self._pipe: Connection
        self._closed = False
        self._lock = threading.Lock()

    def submit(self, seconds: float, verb: str, *args: object) -> Future[Any]:
        """Raises CrawlEnded after `stop`."""
        return self._submit(self._do, seconds, verb, *args)

    def submit_page(self, shares: Shares, of: str, seconds: float, *args: object) -> Future[Any]:
        """A page of the domain `of`. Raises CrawlEnded after `stop`."""
        return self._submit(self._do_page, shares, of, seconds, *args)

    def _submit(self, do: Callable[..., Any], *args: object) -> Future[Any]:
        with self._lock:
            self._check_open()
            answer = self._thread.submit(do, *args)
            self.jobs += 1
        answer.add_done_callback(self._done)
        return answer

    def _done(self, _answer: Future[Any]) -> None:
        with self._lock:
            self.jobs -= 1

    def _do(self, seconds: float, verb: str, *args: object) -> Any:
        for _ in range(TRIES):
            with suppress(_Died):
                if self._process is None:
                    self._start()
                return self._ask(seconds, verb, *args)
        raise CostlyError(Reason(Code.DIED))

    def _do_page(self, shares: Shares, of: str, seconds: float, *args: object) -> Any:
        """Analyses a page when the share of its domain allows it."""
        allowed = shares.patience(of, seconds)
        if not allowed:
            raise CostlyError(Reason(Code.SLOW_DOMAIN))
        began = monotonic()
        try:
            answer = self._do(allowed, "page", *args)
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
        self._ask(START_SECONDS, READY)
        if self.topic is not None:
            self._ask(START_SECONDS, "take", self.topic)

    def _ask(self, seconds: float, verb: str, *args: object) -> Any:
        self._check_open()
        try:
            self._pipe.send((verb, args))
            if not self._is_answered(seconds):
                self._kill()
                raise CostlyError(Reason(Code.SLOW))
            answer = self._pipe.recv()
        except (EOFError, OSError):
            self._kill()
            raise _Died from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _is_answered(self, seconds: float) -> bool:
        """Waits until the process has answered, or has taken so much processor time, or WALL_TIMES as much time."""
        assert self._process is not None and self._process.pid is not None
        pid, until = self._process.pid, monotonic() + WALL_TIMES * seconds
        spent = processor_seconds(pid) + seconds
        while (left := min(spent - processor_seconds(pid), until - monotonic())) > 0:
            if self._pipe.poll(max(left, LOOK)):
                return True
        return False

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            self._pipe.close()

    def stop(self) -> None:
        """Ends the process at once, from another thread: its job fails with CrawlEnded, like those that wait."""
        with self._lock:
            self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        self._thread.shutdown()
        self._kill()


class Pool:
    """Worker processes that analyse pages. All methods are called from the event loop. Jobs raise AnalysisError for a
    page that cannot be analysed, ModelError when the extractor's model cannot be used."""

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
        """`timeout`: seconds of processor time that a job may take. `memory`: megabytes that a process may take, 0:
        any. `judge_name`: a value of PAGE_JUDGE. `pdf`: pages have links to PDF documents."""
        make = partial(Worker, extractor_name, judge_name, pdf)
        self._processes = [WorkerProcess(make, memory) for _ in range(processes)]
        self._timeout = timeout
        self._shares = Shares()

    async def warm_up(self) -> None:
        """Starts the processes before the first page needs them; and reads the public suffix list meanwhile, a tenth of
        a second in which the event loop would stand still."""
        await asyncio.gather(self._all(READY), asyncio.to_thread(domain, "a.example"))

    async def take(self, topic: Topic) -> None:
        """The learned topic, against which pages are judged from now on."""
        for process in self._processes:
            process.topic = topic
        await self._all("take", topic)

    async def describe(self, markup: str) -> Description:
        """A page that describes a topic."""
        return cast("Description", await self._give("describe", markup))

    async def judged(self, pages: Sequence[Description]) -> list[Judgement]:
        """What is thought of stored pages now, in their order; each may take as long as a page of the crawl."""
        return cast("list[Judgement]", await self._give("judged", pages, times=max(1, len(pages))))

    async def is_shell(self, markup: str) -> bool:
        """Whether scripts make what the page shows."""
        return cast("bool", await self._give("is_shell", markup))

    def page(
        self, url: str, content: bytes, encoding: str, index_files: bool = False, again: bool = False
    ) -> asyncio.Future[Analysis]:
        """Begins the whole analysis of a page, as the share of its domain allows. `index_files`: its links are to
        include those to index files; `again`: analyse.extract. The future may be awaited any number of times."""
        of = domain(host(url))
        self._shares.wait(of)
        args = url, content, encoding, index_files, again
        answer = self._idlest().submit_page(self._shares, of, self._timeout, *args)
        answer.add_done_callback(lambda _: self._shares.done(of))
        return asyncio.wrap_future(answer)

    async def index_file(self, url: str, content: bytes, now: float, kind: str) -> Analysis | Reason:
        """What an index file lists, with its worth for the topic; or why it is not an index file."""
        return cast(
            "Analysis | Reason", await self._give("index_file", url, content, now, kind, times=INDEX_FILE_TIMES)
        )

    async def analyse(self, url: str, content: bytes, encoding: str) -> Analysis:
        """Analyses a stored page, which has no share of a domain to keep to."""
        return cast("Analysis", await self._give("page", url, content, encoding))

    def close(self) -> None:
        """Ends the processes, also in the middle of a job. Waits for them."""
        for process in self._processes:
            process.stop()

    def _idlest(self) -> WorkerProcess:
        return min(self._processes, key=lambda process: process.jobs)

    async def _give(self, verb: str, *args: object, times: int = 1) -> Any:
        return await asyncio.wrap_future(self._idlest().submit(times * self._timeout, verb, *args))

    async def _all(self, verb: str, *args: object) -> None:
        answers = [process.submit(START_SECONDS, verb, *args) for process in self._processes]
        await asyncio.gather(*map(asyncio.wrap_future, answers))
