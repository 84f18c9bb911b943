"""The pool: what one page provokes harms no other."""

from __future__ import annotations

import asyncio
import multiprocessing
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import TypeVar

import pytest
from lxml import etree

from crawler.crawl.pool import TRIES, WALL_TIMES, Pool
from crawler.crawl.worker import AnalysisError, CostlyError, CrawlEnded
from crawler.frontier.politeness import COSTLY, MOST_MISSES
from crawler.reader.html.page import Page
from crawler.reader.papers.plain import plain
from crawler.records import Analysis, Extraction, Judgement
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.conftest import ROOT

pytestmark = pytest.mark.slow
T = TypeVar("T")
URL = "http://a.example/"
TEXT = f"<html><title>渡口</title><body><p>{'机器学习的模型在训练集上拟合，在测试集上评价。' * 20}</p></body></html>"
PAGE = TEXT.encode()


SLOW = 1.0  # seconds of processor time
BUSY = 3.0  # seconds that a page waits for a processor, as on a busy machine
STUCK = b"an extractor of the user's is stuck here"


@cache
def learned() -> Topic:
    """Not at the import: each process of the tests imports each file of them."""
    return Topic.load("machine-learning", ROOT / "topics").learn()


def stuck(page: Page) -> Extraction:
    """An extractor that libxml2 holds for minutes: it takes the square of a tag's attributes, and hears no signal."""
    if STUCK.decode() in page.markup:
        etree.fromstring(f"<p {' '.join(f'a{n}=1' for n in range(80_000))}>", etree.HTMLParser(huge_tree=True))
    return plain(page)


def work_for(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


class Slow(Judge):
    def judge(self, extraction: Extraction, subjects: Sequence[str] = ()) -> Judgement:
        work_for(SLOW)
        return super().judge(extraction, subjects)


def slow(page: Page) -> Extraction:
    work_for(SLOW)
    return plain(page)


def waits(page: Page) -> Extraction:
    if URL in page.url:
        time.sleep(BUSY)
    return plain(page)


def run(
    job: Callable[[Pool], Awaitable[T]],
    timeout: float = 20.0,
    processes: int = 1,
    memory: int = 0,
    extractor: str = "stuck",
    judge: str = "",
) -> T:
    async def work() -> T:
        name = judge and f"{__name__}.{judge}"
        pool = Pool(f"{__name__}.{extractor}", processes=processes, timeout=timeout, memory=memory, judge_name=name)
        try:
            await pool.warm_up()
            await pool.take(learned())
            return await job(pool)
        finally:
            await asyncio.to_thread(pool.close)

    return asyncio.run(work())


def test_a_page() -> None:
    analysis = run(lambda pool: pool.analyse(URL, PAGE, "utf-8"))
    assert analysis.extraction.title == "渡口"
    assert analysis.judgement.on_topic


def test_a_page_that_is_awaited_more_than_once() -> None:
    page = f'{TEXT}<p><a href="/x">神经网络</a>'.encode("gb18030")

    async def both(pool: Pool) -> tuple[Analysis, Analysis]:
        job = pool.page(URL, page, "gb18030")
        assert await job is await job
        return await job, await pool.analyse(URL, page, "gb18030")

    shared, alone = run(both, processes=2)
    assert shared == alone
    assert shared.outlinks[0].relevance > 0
    assert shared.extraction.title == "渡口"


def test_a_page_that_takes_too_long_is_ended_wherever_it_is() -> None:
    """Also within libxml2, which hears no signal; the next page finds a new process."""

    async def work(pool: Pool) -> Analysis:
        job = pool.page(URL, b'<a href="/x">' + STUCK, "utf-8")
        for _ in range(2):
            with pytest.raises(AnalysisError, match="longer than ANALYSE_TIMEOUT"):
                await job
        return await pool.page(URL, PAGE, "utf-8")

    assert run(work, timeout=1.0).extraction.title == "渡口"


def test_the_time_is_that_of_the_whole_page() -> None:
    """Each part alone would be in time."""

    async def work(pool: Pool) -> None:
        with pytest.raises(AnalysisError, match="longer than ANALYSE_TIMEOUT"):
            await pool.page(URL, PAGE, "utf-8")

    run(work, timeout=1.5 * SLOW, extractor="slow", judge="Slow")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the clock decides")
@pytest.mark.parametrize(("timeout", "is_done"), [(BUSY / 3, True), (BUSY / WALL_TIMES / 3, False)])
def test_a_page_that_waits_for_a_processor_is_not_ended_before_long(timeout: float, is_done: bool) -> None:
    async def work(pool: Pool) -> bool:
        try:
            return (await pool.page(URL, PAGE, "utf-8")).judgement.on_topic
        except CostlyError:
            return False

    assert run(work, timeout=timeout, extractor="waits") is is_done


def test_closing_waits_for_no_page() -> None:
    async def work(pool: Pool) -> None:
        busy = pool.page(URL, STUCK, "utf-8")
        await asyncio.sleep(0.5)
        await asyncio.wait_for(asyncio.to_thread(pool.close), 30.0)  # the page would take minutes
        with pytest.raises(AnalysisError):
            await busy

    run(work, timeout=300.0)


def test_processes_take_no_more_memory_than_they_may() -> None:
    with pytest.raises(AnalysisError):
        run(lambda pool: pool.analyse(URL, PAGE, "utf-8"), memory=64)  # in MB; they need some 200 to start


def test_pages_beside_one_that_kills_its_process() -> None:
    """Each is tried again."""

    async def work(pool: Pool) -> list[Analysis]:
        pages = asyncio.gather(*(pool.page(f"{URL}{n}", PAGE * 200, "utf-8") for n in range(6)))
        await asyncio.sleep(0.05)
        for process in multiprocessing.active_children():
            process.kill()
        return await pages

    assert [analysis.judgement.on_topic for analysis in run(work, processes=2)] == [True] * 6


def test_a_page_that_kills_every_process() -> None:
    async def work(pool: Pool) -> None:
        page = pool.page(URL, STUCK, "utf-8")
        for _ in range(TRIES):
            await asyncio.sleep(0.5)
            while not (processes := multiprocessing.active_children()):
                await asyncio.sleep(0.1)
            for process in processes:
                process.kill()
        with pytest.raises(AnalysisError, match="died"):
            await page

    run(work, timeout=300.0)


def test_a_domain_whose_pages_take_too_long_is_refused() -> None:
    async def work(pool: Pool) -> None:
        for n in range(MOST_MISSES // COSTLY + 1):
            with pytest.raises(CostlyError, match="the analysis took"):
                await pool.page(f"http://h{n}.a.example/", STUCK, "utf-8")
        with pytest.raises(CostlyError, match="other pages of its domain"):
            await pool.page("http://new.a.example/", PAGE, "utf-8")
        await pool.page("http://b.example/", PAGE, "utf-8")

    run(work, timeout=0.5)


def test_a_pool_that_was_stopped_says_so() -> None:
    """Also to jobs that waited, and to those that come after."""

    async def work(pool: Pool) -> list[object]:
        jobs = [
            asyncio.ensure_future(pool.analyse(URL, PAGE.replace(b"</p>", STUCK + b"</p>"), "utf-8")) for _ in range(3)
        ]
        await asyncio.sleep(0.1)
        await asyncio.to_thread(pool.close)
        return await asyncio.gather(*jobs, pool.take(learned()), pool.describe(TEXT), return_exceptions=True)

    assert [type(answer) for answer in run(work)] == [CrawlEnded] * 5
