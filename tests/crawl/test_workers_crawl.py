"""`zhuti crawl` started several times against one PostgreSQL is one crawl."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL

from crawler.database.database import Database
from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, Scrapy, Start, of_topic
from tests.crawl.test_fetching import tree
from tests.postgres import Server, new_database
from tests.stored import count, fetched, rows
from tests.warm import Command

TOPIC = "machine-learning"
KILLED_AT = (5, 50)  # pages stored
PAGES = 120
QUICK = ("-s", "EXTRACTOR=plain", "-s", "LINK_SCORER=bfs")
NOTHING_LINKS_TO = {"http://ads.example/"}


def finish(workers: list[Command]) -> None:
    for worker in workers:
        out, err = worker.communicate(timeout=150)
        assert worker.returncode == 0, err
        assert "Traceback" not in err
        assert "harvest rate" in out


def reachable(demo_web: Path) -> set[str]:
    lines = (demo_web / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    pages = {page["url"] for page in map(json.loads, lines) if page["allowed"]} - NOTHING_LINKS_TO
    return {url.removesuffix("index.html") for url in pages}


def test_two_workers_fetch_every_page_once(start: Start, demo_web: Path, demo_proxy: str, postgres_url: str) -> None:
    crawl = of_topic(TOPIC, *QUICK, "-s", "PAGE_BUDGET=0", "-s", f"STORE_URL={postgres_url}")
    finish([start(*crawl, proxy=demo_proxy) for _ in range(2)])
    assert {url for (url,) in rows(postgres_url, "SELECT url FROM pages")} == reachable(demo_web)
    assert count(postgres_url, "urls WHERE state = 1") == 0, "a lease was left"
    twice = "SELECT url_id FROM fetches WHERE counted GROUP BY url_id HAVING count(*) > 1"
    assert rows(postgres_url, twice) == [], "a page was fetched by both"


def test_killed_workers_lose_nothing_and_store_nothing_twice(start: Start, tmp_path: Path, postgres_url: str) -> None:
    """lab/benchmarks/kills.py kills fifty times, in the demo web."""
    urls = tree(tmp_path / "web", PAGES)
    seeds = f"seeds={urls[0]}"
    shared = ("-s", f"STORE_URL={postgres_url}", "-s", "PAGE_BUDGET=0")
    crawl = ("crawl", "topic", "-a", f"topic={TOPIC}", "-a", seeds, *LOOPBACK, *QUICK, *shared)
    with serve_in_thread(tmp_path / "web", delay=0.5) as replay:
        workers = [start(*crawl, proxy=replay.proxy) for _ in range(2)]
        for stored in KILLED_AT:
            worker = one_at_work(workers, postgres_url, stored)
            os.killpg(worker.pid, signal.SIGKILL)
            worker.communicate()
            workers[workers.index(worker)] = start(*crawl, proxy=replay.proxy)
        finish(workers)
    assert {url for (url,) in rows(postgres_url, "SELECT url FROM pages")} == set(urls)
    assert count(postgres_url, "urls WHERE state <> 2") == 0
    assert fetched(postgres_url) == PAGES


def one_at_work(workers: list[Command], url: str, stored: int) -> Command:
    """A worker that has URLs under way, when so many pages are stored."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        busy = {str(name).split(":")[1] for (name,) in rows(url, "SELECT DISTINCT worker FROM urls WHERE state = 1")}
        enough = count(url, "pages") >= stored
        for worker in workers:
            if enough and str(worker.pid) in busy:
                return worker
        time.sleep(0.05)
    raise AssertionError("the crawl was over before the last kill")


def test_the_budget_is_shared(start: Start, demo_proxy: str, postgres_url: str) -> None:
    crawl = of_topic(TOPIC, "-s", "PAGE_BUDGET=60", "-s", f"STORE_URL={postgres_url}")
    finish([start(*crawl, proxy=demo_proxy) for _ in range(2)])
    assert fetched(postgres_url) == 60


@pytest.fixture
def server() -> Iterator[Server]:
    """One of this test alone, to be stopped."""
    server = Server()
    yield server
    server.close()


def start_and_lose(server: Server, url: str, stored: int, launch: Callable[[], Command]) -> Command:
    """A worker whose server has gone away when so many pages were stored."""
    Database(url).close()
    worker = launch()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and count(url, "pages") < stored:
        time.sleep(0.1)
    server.stop()
    time.sleep(1.0)
    return worker


def test_a_server_that_restarts_in_mid_crawl(start: Start, demo_proxy: str, server: Server) -> None:
    url = new_database(server.url)
    crawl = of_topic(TOPIC, "-s", "PAGE_BUDGET=100", "-s", f"STORE_URL={url}")
    worker = start_and_lose(server, url, 20, lambda: start(*crawl, proxy=demo_proxy))
    server.start()
    _, err = worker.communicate(timeout=100)
    assert worker.returncode == 0, err
    assert "waiting for it" in err
    assert "is back" in err
    assert "Traceback" not in err
    assert fetched(url) == 100


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "password": ({"password": "wrong"}, "correct user and password in STORE_URL"),
    "name": ({"database": "nowhere"}, "createdb"),
    "port": ({"port": 1}, "start the server"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_store_url(case: str, scrapy: Scrapy, postgres: URL) -> None:
    change, words = WRONG[case]
    url = postgres.set(**change).render_as_string(hide_password=False)  # type: ignore[arg-type]
    done = scrapy("crawl", "topic", "-a", "seeds=http://a.example/", "-s", f"STORE_URL={url}")
    assert done.returncode != 0
    [told] = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert words in told
    assert str(change.get("password", "right")) not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_ctrl_c_while_the_server_is_away(start: Start, demo_proxy: str, server: Server) -> None:
    """The worker that leads and the one that has handed pages over end within seconds; the next start goes on where
    they were."""
    url = new_database(server.url)
    crawl = of_topic(TOPIC, "-s", "PAGE_BUDGET=60", "-s", f"STORE_URL={url}")
    Database(url).close()
    other = start(*crawl, proxy=demo_proxy)
    workers = [other, start_and_lose(server, url, 5, lambda: start(*crawl, proxy=demo_proxy))]
    for worker in workers:
        worker.send_signal(signal.SIGINT)
    for worker in workers:
        _, err = worker.communicate(timeout=150)
        assert worker.returncode != 0
        [told] = [line for line in err.splitlines() if line.startswith("Error: ")]
        assert "nothing is lost" in told
        assert "Traceback" not in err
    server.start()
    finish([start(*crawl, proxy=demo_proxy)])
    assert fetched(url) == 60
