"""Workers: what one page provokes harms no other."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import TypeVar

import pytest

from crawler.crawl.workers import AnalysisError, Workers
from crawler.records import Analysis
from crawler.topic.files import Topic
from tests.conftest import ROOT

T = TypeVar("T")
URL = "http://a.example/"
PAGE = f"<html><title>渡口</title><body><p>{'机器学习的模型在训练集上拟合，在测试集上评价。' * 20}</p></body></html>"
TOPIC = Topic.load("machine-learning", ROOT / "topics").learn()


def run(job: Callable[[Workers], Awaitable[T]], timeout: float = 20.0, processes: int = 1) -> T:
    async def work() -> T:
        workers = Workers(TOPIC, "plain", processes=processes, timeout=timeout)
        try:
            await workers.warm_up()
            return await job(workers)
        finally:
            await asyncio.to_thread(workers.close)

    return asyncio.run(work())


def test_a_page() -> None:
    analysis = run(lambda workers: workers.analyse(PAGE, URL))
    assert analysis.extraction.title == "渡口"
    assert analysis.judgement.on_topic


def test_a_page_that_takes_too_long() -> None:
    with pytest.raises(AnalysisError, match="longer than ANALYSE_TIMEOUT"):
        run(lambda workers: workers.analyse(PAGE * 2000, URL), timeout=0.01)


def test_pages_beside_one_that_kills_its_process() -> None:
    """Also when the next process is killed while they are tried again."""

    async def work(workers: Workers) -> list[Analysis]:
        pages = asyncio.gather(*(workers.analyse(PAGE * 500, f"{URL}{n}") for n in range(3)))

        async def kill() -> None:
            while not pages.done():
                with suppress(BrokenProcessPool):
                    await workers._run(os._exit, 1)

        killing = asyncio.ensure_future(kill())
        found = await pages
        await killing
        return found

    assert [analysis.extraction.title for analysis in run(work, processes=2)] == ["渡口"] * 3


def test_a_page_that_kills_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.crawl.workers._analyse", exit_at_once)
    with pytest.raises(AnalysisError, match="died"):
        run(lambda workers: workers.analyse(PAGE, URL))


def exit_at_once(*_: object) -> None:
    os._exit(1)
