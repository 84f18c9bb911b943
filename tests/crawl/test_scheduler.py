"""FrontierScheduler: requests that come from elsewhere than the frontier, as of a spider that extends ours."""

from __future__ import annotations

import asyncio
from pathlib import Path

from scrapy import Request
from scrapy.utils.test import get_crawler

from crawler.crawl.open_store import OpenStore
from crawler.crawl.pool import Pool
from crawler.crawl.session import Session
from crawler.scheduler import FrontierScheduler
from crawler.scorers.registry import scorer
from crawler.topic.files import Topic

SEED = "http://a.example/"


def test_addresses_of_others_wait_in_the_frontier(tmp_path: Path) -> None:
    async def work() -> list[str]:
        store = OpenStore(f"sqlite:///{tmp_path / 'harvest.db'}", "t", scorer("bfs"))
        await store.open([SEED])
        pool = Pool("plain", processes=1, timeout=1.0)
        session = Session(Topic("t", tmp_path / "t.toml"), (SEED,), store, pool)
        scheduler = FrontierScheduler(get_crawler(), session, slots=1)
        assert scheduler.enqueue_request(Request("http://B.example:80/x#part"))
        assert not scheduler.enqueue_request(Request("ftp://c.example/"))
        await asyncio.gather(*scheduler._adding)
        claims = await store.commits.claim(10)
        await store.close()
        return [claim.url for claim in claims]

    assert sorted(asyncio.run(work())) == [SEED, "http://b.example/x"]
