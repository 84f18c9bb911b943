"""The pool: what one page provokes harms no other."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from lxml import etree

from crawler.crawl.pool import TRIES, Pool
from crawler.crawl.worker import AnalysisError
from crawler.extract.plain import plain
from crawler.html.page import Page
from crawler.records import Analysis, Extraction, Outlink
from crawler.topic.files import Topic
from tests.conftest import ROOT

T = TypeVar("T")
URL = "http://a.example/"
PAGE = f"<html><title>渡口</title><body><p>{'机器学习的模型在训练集上拟合，在测试集上评价。' * 20}</p></body></html>"
TOPIC = Topic.load("machine-learning", ROOT / "topics").learn()


STUCK = "an extractor of the user's is stuck here"


def stuck(page: Page) -> Extraction:
    """An extractor that libxml2 holds for minutes: it takes the square of a tag's attributes, and hears no signal."""
    if STUCK in page.markup:
        etree.fromstring(f"<p {' '.join(f'a{n}=1' for n in range(80_000))}>", etree.HTMLParser(huge_tree=True))
    return plain(page)


def run(job: Callable[[Pool], Awaitable[T]], timeout: float = 20.0, processes: int = 1, memory: int = 0) -> T:
    async def work() -> T:
        pool = Pool(f"{__name__}.stuck", processes=processes, timeout=timeout, memory=memory)
        try:
            await pool.warm_up()
            await pool.take(TOPIC)
            return await job(pool)
        finally:
            await asyncio.to_thread(pool.close)

    return asyncio.run(work())


async def verbs(pool: Pool, url: str, markup: str) -> Analysis:
    """The three jobs of a page, as the parts of a crawl ask for them."""
    links = await pool.links(url, markup)
    extracted = await pool.extract(url, markup)
    found = Analysis(extracted.extraction, outlinks=tuple(map(Outlink, links)), subjects=extracted.subjects)
    return await pool.judge(url, markup, found)


def test_a_page() -> None:
    analysis = run(lambda pool: pool.analyse(URL, PAGE))
    assert analysis.extraction.title == "渡口"
    assert analysis.judgement.on_topic


def test_a_page_job_by_job() -> None:
    page = PAGE + '<p><a href="/x">神经网络</a>'

    async def both(pool: Pool) -> tuple[Analysis, Analysis]:
        found = await verbs(pool, URL, page)
        return found, await pool.analyse(URL, page)

    apart, whole = run(both, processes=2)
    assert (apart.judgement, apart.outlinks) == (whole.judgement, whole.outlinks)
    assert apart.outlinks[0].relevance > 0


def test_a_page_that_takes_too_long_is_ended_wherever_it_is() -> None:
    """Also within libxml2, which hears no signal; the next page finds a new process."""

    async def work(pool: Pool) -> Analysis:
        with pytest.raises(AnalysisError, match="longer than ANALYSE_TIMEOUT"):
            await pool.extract(URL, STUCK)
        return await pool.analyse(URL, PAGE)

    assert run(work, timeout=1.0).extraction.title == "渡口"


def test_closing_waits_for_no_page() -> None:
    async def work(pool: Pool) -> None:
        busy = asyncio.ensure_future(pool.extract(URL, STUCK))
        await asyncio.sleep(0.5)
        await asyncio.wait_for(asyncio.to_thread(pool.close), 30.0)  # the page would take minutes
        with pytest.raises(AnalysisError):
            await busy

    run(work, timeout=300.0)


def test_processes_take_no_more_memory_than_they_may() -> None:
    with pytest.raises(AnalysisError):
        run(lambda pool: pool.analyse(URL, PAGE), memory=64)  # in MB; they need some 200 to start


def test_pages_beside_one_that_kills_its_process() -> None:
    """Each is tried again."""

    async def work(pool: Pool) -> list[Analysis]:
        pages = asyncio.gather(*(verbs(pool, f"{URL}{n}", PAGE * 200) for n in range(6)))
        await asyncio.sleep(0.05)
        for process in multiprocessing.active_children():
            process.kill()
        return await pages

    assert [analysis.judgement.on_topic for analysis in run(work, processes=2)] == [True] * 6


def test_a_page_that_kills_every_process() -> None:
    async def work(pool: Pool) -> None:
        page = asyncio.ensure_future(pool.extract(URL, STUCK))
        for _ in range(TRIES):
            await asyncio.sleep(0.5)
            while not (processes := multiprocessing.active_children()):
                await asyncio.sleep(0.1)
            for process in processes:
                process.kill()
        with pytest.raises(AnalysisError, match="died"):
            await page

    run(work, timeout=300.0)
