"""Answers that come while a crawl is at work: what is judged again, and what is left when others come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import pytest

from crawler.crawl import answers
from crawler.crawl.answers import Answers, judge_next
from crawler.crawl.database_thread import DatabaseThread
from crawler.crawl.limits import NO_LIMITS
from crawler.crawl.pool import Pool
from crawler.database.database import Database
from crawler.labels.judge_again import AT_ONCE, JudgingAgain
from crawler.labels.labels import Answer, Label, add
from crawler.scorers.registry import scorer
from crawler.store.names import topic_id_of
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.commands.conftest import fill
from tests.crawls import Crawl
from tests.stored import rows

T = TypeVar("T")
BATCHES = 3
PAGES = [f"https://h{n % 9}.example/{n}" for n in range(BATCHES * AT_ONCE)]


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    """Of a harvest of some batches."""
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, {url: (f"第{url}页", f"爬虫沿着链接访问网页{url}。") for url in PAGES})
    crawl.database.close()
    path = tmp_path / "spiders.toml"
    path.write_text('keywords = ["爬虫", "网页"]\n', encoding="utf-8")
    return Topic.load(path).learn()


def say(folder: Path, url: str) -> None:
    with Database(f"sqlite:///{folder / 'harvest.db'}", beside=True) as database, database.transaction() as connection:
        add(connection, topic_id_of(connection, "spiders"), [Label(url, Answer.NO, 1.0)])


def test_new_answers_end_the_work_on_others(topic: Topic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LONGEST_REST", 0.05)
    judges: list[Topic] = []

    class Store(DatabaseThread):
        async def do(self, job: Callable[..., T], *args: object, shared: bool = False) -> T:
            done = await super().do(job, *args, shared=shared)
            if job is judge_next and not shared and isinstance(done, JudgingAgain) and done.taught is not None:
                judges.append(done.taught)
                if len(judges) == 1:
                    say(tmp_path, PAGES[1])
            return done

    async def work() -> None:
        store = Store(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
        await store.open(scorer("bfs"), NO_LIMITS)
        pool = Pool("plain", processes=1, timeout=10.0)
        taken = Answers(topic, store, pool, Judge)
        say(tmp_path, PAGES[0])
        await taken.begin()
        assert await taken.is_behind()
        while await taken.is_behind():
            await taken.look()
            await asyncio.sleep(0.02)
        taken.end()
        pool.close()
        await store.close()

    asyncio.run(asyncio.wait_for(work(), 60))
    assert [len(list(some)) for _, some in groupby(judges, key=id)] == [1, BATCHES + 1]  # the last finds none left
    off = "SELECT pages.url FROM judgements JOIN pages ON pages.id = page_id WHERE outcome = 'off-topic'"
    assert {(PAGES[0],), (PAGES[1],)} <= set(rows(tmp_path, off))
