"""The other half of the pool: what a worker process does. It takes one job after the other from its pipe."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import signal
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from crawler.analyse import analyse, describe, open_index_file
from crawler.errors import CrawlerError, SettingError
from crawler.extractors import extractor
from crawler.messages import _
from crawler.reader.html.page import Page
from crawler.reader.html.pdf import PdfError, is_pdf, markup
from crawler.reader.html.shell import is_shell
from crawler.reader.text.charset import decode
from crawler.reasons import Code, Reason, ReasonError
from crawler.records import Analysis, Extraction, Judgement
from crawler.topic.files import Topic
from crawler.topic.judge import Judge, page_judge
from crawler.topic.learn import Description

READY = ""  # asks only whether the process has started
WARM_UP = "<title>渡口</title><p>渡口的船，天亮之前不开。</p>"  # loads model and dictionaries


class AnalysisError(ReasonError):
    """The page could not be analysed; the crawl continues."""


class CostlyError(AnalysisError):
    """The analysis took too long or ended its process, or the page's domain has had too many such pages."""


class CrawlEnded(AnalysisError):
    """The crawl was stopped before the work was done."""


def ended() -> CrawlEnded:
    return CrawlEnded(Reason(Code.CRAWL_ENDED))


class Worker:
    """Its methods are the jobs of a crawl."""

    def __init__(self, extractor_name: str, judge_name: str, pdf: bool = False) -> None:
        """`pdf`: pages have links to PDF documents."""
        self._pdf = pdf
        self._name, self._extractor = extractor_name, extractor(extractor_name)
        self._judge_class = page_judge(judge_name)
        self._judge: Judge
        self._warm_up()

    def _warm_up(self) -> None:
        """Raises ModelError, or SettingError for an extractor of the user's, when the extractor cannot work."""
        try:
            found = self._extractor(Page(WARM_UP))
        except CrawlerError:
            raise
        except Exception as error:  # whatever the user's own code raises
            raise SettingError(
                _("EXTRACTOR={name} fails on a small test page ({kind}: {error}); correct it"),
                name=self._name,
                kind=type(error).__name__,
                error=error,
            ) from error
        if not isinstance(found, Extraction):
            raise SettingError(
                _("EXTRACTOR={name} returns {kind}; it must return zhuti.Extraction"),
                name=self._name,
                kind=type(found).__name__,
            )
        self.describe(WARM_UP)
        gc.freeze()  # what lives as long as the process is not gone through again and again: 4 % of a page's time

    def take(self, topic: Topic) -> None:
        """The learned topic, against which pages are judged from now on."""
        self._judge = self._judge_class(topic)

    def judged(self, pages: Sequence[Description]) -> list[Judgement]:
        """What is thought of stored pages, in their order."""
        return [self._judge.judge(page.extraction, page.subjects) for page in pages]

    def describe(self, markup: str) -> Description:
        return describe(Page(markup), self._extractor)

    def is_shell(self, markup: str) -> bool:
        return is_shell(Page(markup))

    def page(self, url: str, content: bytes, encoding: str, index_files: bool = False, again: bool = False) -> Analysis:
        page = _page(url, content, encoding)
        return analyse(page, self._extractor, self._judge, index_files, self._pdf, again)

    def index_file(self, url: str, content: bytes, now: float, kind: str) -> Analysis | Reason:
        return open_index_file(url, content, now, self._judge, kind)


def _page(url: str, content: bytes, encoding: str) -> Page:
    if is_pdf(content):
        return Page(markup(content), url)
    text, encoding = decode(content, encoding)
    return Page(text, url, encoding)


def serve(pipe: Connection, make: Callable[[], Any], memory: int) -> None:
    """Serves jobs until the pipe is closed: takes (name of a method, arguments), answers with its result or an
    exception. `make`: makes what has the methods. `memory`: megabytes that the process may take, 0: any."""
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the crawler decides when to stop
    threading.Thread(target=_die_with_parent, daemon=True).start()
    try:
        worker = make()
    except CrawlerError as error:
        worker = error
    except Exception as error:  # of what is installed, or of the user's own code: every question is answered with it
        worker = SettingError(
            _("the crawl could not start ({kind}: {error}); see the log"), kind=type(error).__name__, error=error
        )
    while True:
        try:
            verb, args = pipe.recv()
        except EOFError:
            return
        pipe.send(worker if isinstance(worker, Exception) else _answer(worker, verb, args))


def _answer(worker: Any, verb: str, args: Sequence[Any]) -> Any:
    try:
        return None if verb == READY else getattr(worker, verb)(*args)
    except CrawlerError as error:
        return error
    except PdfError as error:
        return AnalysisError(error.reason)
    except MemoryError:
        return CostlyError(Reason(Code.MEMORY))
    except Exception as error:  # the boundary: whatever one page provokes, the others go on
        return AnalysisError(Reason(Code.ANALYSIS, kind=type(error).__name__, error=str(error)))


def _die_with_parent() -> None:
    """A busy worker reads no pipe: when the crawler is killed, it would go on to the end of its job."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
