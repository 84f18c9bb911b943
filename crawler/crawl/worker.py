"""The other half of the pool: what a worker process does. It takes one job after the other from its pipe."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from crawler.analyse import analyse, describe, extract, judge, links, open_index_file
from crawler.errors import CrawlerError
from crawler.extract.registry import extractor
from crawler.html.page import Page
from crawler.messages import N_
from crawler.records import Analysis, Judgement, Link, Outlink
from crawler.topic.files import Topic
from crawler.topic.judge import Judge, page_judge
from crawler.topic.learn import Description

REMEMBERED = 16  # pages between two of their jobs; a crawl has as many under way over all processes
WARM_UP = "<title>渡口</title><p>渡口的船，天亮之前不开。</p>"  # loads model and dictionaries


class AnalysisError(Exception):
    """The page could not be analysed; the message says why, the crawl goes on."""


@dataclass(slots=True)
class _Open:
    """A page between its jobs."""

    page: Page
    links: tuple[Link, ...] | None = None


class Worker:
    """Its methods are the jobs. A page is parsed once, as long as its jobs come to the same worker."""

    def __init__(self, extractor_name: str, judge_name: str) -> None:
        self._extractor = extractor(extractor_name)
        self._judge_class = page_judge(judge_name)
        self._judge: Judge
        self._open: dict[str, _Open] = {}  # by address, the newest last

    def warm_up(self) -> None:
        """Raises ModelError when the extractor cannot work."""
        self.describe(WARM_UP)
        gc.freeze()  # what lives as long as the process is not gone through again and again: 4 % of a page's time

    def take(self, topic: Topic) -> None:
        """The learned topic, against which pages are judged from now on."""
        self._judge = self._judge_class(topic)

    def describe(self, markup: str) -> Description:
        return describe(Page(markup), self._extractor)

    def links(self, url: str, markup: str, index_files: bool) -> tuple[Link, ...]:
        return self._links(self._opened(url, markup), index_files)

    def index_file(self, url: str, content: bytes, now: float) -> Analysis | str:
        return open_index_file(url, content, now, self._judge)

    def extract(self, url: str, markup: str) -> Analysis:
        page = self._opened(url, markup).page
        return replace(extract(page, self._extractor), forbids=frozenset(page.declared.forbids))

    def judge(
        self, url: str, markup: str, title: str, tags: tuple[str, ...], index_files: bool
    ) -> tuple[Judgement, list[tuple[float, float, float]]]:
        """Of the links only their relevances, in their order: whoever asks has the links."""
        opened = self._opened(url, markup)
        del self._open[url]
        judgement, outlinks = judge(opened.page, title, tags, self._links(opened, index_files), self._judge)
        return judgement, [relevances(outlink) for outlink in outlinks]

    def analyse(self, url: str, markup: str) -> Analysis:
        page = Page(markup, url)
        return replace(analyse(page, self._extractor, self._judge), forbids=frozenset(page.declared.forbids))

    def _opened(self, url: str, markup: str) -> _Open:
        opened = self._open.get(url)
        if opened is None or opened.page.markup != markup:
            opened = self._open[url] = _Open(Page(markup, url))
            if len(self._open) > REMEMBERED:
                del self._open[next(iter(self._open))]
        return opened

    def _links(self, opened: _Open, index_files: bool) -> tuple[Link, ...]:
        if opened.links is None:
            opened.links = links(opened.page, self._judge.topic, index_files)
        return opened.links


def relevances(outlink: Outlink) -> tuple[float, float, float]:
    return outlink.relevance, outlink.anchor_relevance, outlink.own_relevance


def serve(pipe: Connection, extractor_name: str, judge_name: str, memory: int) -> None:
    """Until the pipe is closed: takes (name of a method, arguments), answers with its result or an exception. `memory`:
    megabytes that the process may take, 0: any."""
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the crawler decides when to stop
    threading.Thread(target=_die_with_parent, daemon=True).start()
    worker = Worker(extractor_name, judge_name)
    while True:
        try:
            verb, args = pipe.recv()
        except EOFError:
            return
        pipe.send(_answer(worker, verb, args))


def _answer(worker: Worker, verb: str, args: Sequence[Any]) -> Any:
    try:
        return getattr(worker, verb)(*args)
    except CrawlerError as error:
        return error
    except MemoryError:
        return AnalysisError(N_("the analysis needed more memory than ANALYSE_MEMORY"))
    except Exception as error:  # the boundary: whatever one page provokes, the others go on
        return AnalysisError(N_("the analysis failed: {kind}: {error}", kind=type(error).__name__, error=error))


def _die_with_parent() -> None:
    """A busy worker reads no pipe: when the crawler is killed, it would go on to the end of its job."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
