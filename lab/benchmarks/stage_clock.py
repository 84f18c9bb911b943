"""What stages.py puts around the parts of a crawl, in the main process and in those of the pool."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from crawler import analyse
from crawler.crawl import worker as pool_worker
from crawler.crawl.worker import Worker

TOTALS = "STAGES_FOLDER"  # of the environment: where processes of the pool write theirs
POOL = {"links": "links", "extract": "extraction", "judge": "judgement"}  # names in crawler.analyse


class Clock:
    """CPU and wall time by stage, in seconds. CPU is that of the thread, without the stages within; the wall time of
    what is awaited goes from its begin to its end."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = defaultdict(float)
        self.wall: dict[str, float] = defaultdict(float)
        self._local = threading.local()

    @contextmanager
    def running(self, stage: str) -> Iterator[None]:
        outer: list[float] = self._local.__dict__.setdefault("within", [])  # CPU of the stages within, by open stage
        outer.append(0.0)
        began = time.thread_time()
        try:
            yield
        finally:
            spent = time.thread_time() - began
            self.cpu[stage] += spent - outer.pop()
            if outer:
                outer[-1] += spent

    @contextmanager
    def lasting(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.wall[stage] += time.perf_counter() - began

    def around(self, place: Any, name: str, stage: str) -> None:
        """Counts the function, method or coroutine of this name for the stage, from now on."""
        inner: Callable[..., Any] = getattr(place, name)

        @wraps(inner)
        def call(*args: Any, **named: Any) -> Any:
            with self.lasting(stage), self.running(stage):
                return inner(*args, **named)

        @wraps(inner)
        async def wait(*args: Any, **named: Any) -> Any:
            with self.lasting(stage):
                return await _Steps(inner(*args, **named), self, stage)

        setattr(place, name, wait if iscoroutinefunction(inner) else call)


class _Steps:
    """A coroutine, each step of which is counted."""

    def __init__(self, inner: Awaitable[Any], clock: Clock, stage: str) -> None:
        self._inner = inner
        self._clock = clock
        self._stage = stage

    def __await__(self) -> Generator[Any, Any, Any]:
        steps = self._inner.__await__()
        given: Any = None
        error: BaseException | None = None
        while True:
            with self._clock.running(self._stage):
                try:
                    asked = steps.send(given) if error is None else steps.throw(error)
                except StopIteration as end:
                    return end.value
            try:
                given, error = (yield asked), None
            except BaseException as thrown:  # the boundary: what is thrown in belongs to the coroutine
                error = thrown


def serve(pipe: Connection, **options: Any) -> None:
    """As `crawl.worker.serve`, and writes what each stage took after each job: the process is killed at the end. What
    comes before the first page is not counted."""
    clock, inner = Clock(), pool_worker._answer
    began: list[float] = []
    clock.around(pool_worker, "_page", "parse")
    for name, stage in POOL.items():
        clock.around(analyse, name, stage)
    clock.around(Worker, "index_file", "index files")

    def answer(worker: Worker, verb: str, args: Sequence[Any]) -> Any:
        if verb == "page" and not began:
            began.append(time.process_time())
        made = inner(worker, verb, args)
        found = {**clock.cpu, "all": time.process_time() - began[0] if began else 0.0}
        Path(os.environ[TOTALS], f"{os.getpid()}.json").write_text(json.dumps(found), encoding="utf-8")
        return made

    pool_worker._answer = answer
    pool_worker.serve(pipe, **options)
