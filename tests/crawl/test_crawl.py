"""Whole crawls of the demo web, as a user runs them."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from crawler.settings import LINK_SCORER
from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, Scrapy, Start, of_topic
from tests.crawl.test_fetching import tree
from tests.stored import count, fetched, rows
from tests.warm import Command

KILLS = 4  # lab/benchmarks/kills.py kills fifty times
TOPIC = "machine-learning"
SLOWLY = ("-s", "CONCURRENT_REQUESTS=2")  # so that on a fast machine too there is something left for the last kill
# For tests that do not look at what is extracted: `best` takes a third of a crawl of the whole web. The harvest with it
# is that of test_harvest_and_export.
PLAINLY = ("-s", "EXTRACTOR=plain")


def truth(demo_web: Path) -> dict[str, dict[str, str]]:
    lines = (demo_web / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    return {page["url"].removesuffix("index.html"): page for page in map(json.loads, lines)}


def test_harvest_and_export(scrapy: Scrapy, demo_web: Path, demo_proxy: str, tmp_path: Path) -> None:
    crawl = scrapy(*of_topic(TOPIC, "-s", "PAGE_BUDGET=120"), proxy=demo_proxy)
    assert crawl.returncode == 0, crawl.stderr
    assert f"learning the topic {TOPIC}" in crawl.stderr and "no page yet" in crawl.stderr, "a log speaks at once"
    assert "harvest rate" in crawl.stdout
    assert f"zhuti export {TOPIC}" in crawl.stdout
    assert fetched(tmp_path) == 120
    assert rows(tmp_path, "SELECT scorer FROM scorer_states") == [("ipagerank-learned",)], "kept for the next start"

    corpus = tmp_path / "corpus.jsonl"
    export = scrapy("export", TOPIC, str(corpus), "--min-similarity", "0.5")
    assert export.returncode == 0, export.stderr
    pages = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    assert pages
    known = truth(demo_web)
    for page in pages:
        assert list(page) == ["url", "title", "body", "published", "similarity", "fetched_at", "language"]
        assert page["similarity"] >= 0.5
        assert page["body"]
        assert page["language"] == "zh"
    right = [page for page in pages if known[page["url"]]["topic"] == TOPIC]
    articles = [page for page in pages if known[page["url"]]["topic"]]
    assert len(right) > 0.9 * len(articles), "articles of other topics were kept"
    assert len(right) > 40

    again = scrapy(*of_topic(TOPIC, "-s", "PAGE_BUDGET=120"), proxy=demo_proxy)
    assert again.returncode == 0
    assert fetched(tmp_path) == 120, "the budget was spent already"


def test_focused_crawl_beats_breadth_first(scrapy: Scrapy, demo_web: Path, demo_proxy: str, tmp_path: Path) -> None:
    known = truth(demo_web)
    harvest = {}
    for scorer in ("bfs", "ipagerank-rwb", LINK_SCORER):
        store = tmp_path / scorer / "harvest.db"
        settings = ("-s", "PAGE_BUDGET=150", "-s", f"LINK_SCORER={scorer}", "-s", f"STORE_URL=sqlite:///{store}")
        crawl = scrapy(*of_topic(TOPIC, *settings, *PLAINLY), proxy=demo_proxy)
        assert crawl.returncode == 0, crawl.stderr
        judged = rows(store.parent, "SELECT url FROM pages")
        harvest[scorer] = sum(known[str(url)]["topic"] == TOPIC for (url,) in judged if str(url) in known)
    assert min(harvest[scorer] for scorer in harvest if scorer != "bfs") > 1.5 * harvest["bfs"], harvest


def test_topic_learned_from_its_seeds(scrapy: Scrapy, demo_web: Path, demo_proxy: str, tmp_path: Path) -> None:
    known = truth(demo_web)
    seeds = [url for url, page in known.items() if (page["topic"], page["kind"]) == (TOPIC, "article")][:4]
    arguments = ("crawl", "topic", "-a", f"seeds={','.join(seeds)}", *of_topic(TOPIC)[6:])
    crawl = scrapy(*arguments, "-s", "PAGE_BUDGET=40", proxy=demo_proxy)
    assert crawl.returncode == 0, crawl.stderr
    [learned] = (tmp_path / "topics").glob("*.learned.json")
    name = learned.name.removesuffix(".learned.json")
    assert f"Harvest of {name}" in crawl.stdout
    assert len(name.split("-")) == 3
    kept = rows(tmp_path, "SELECT url FROM pages WHERE body IS NOT NULL")
    assert len(kept) >= 8
    assert set(seeds) <= {url for (url,) in kept}
    again = scrapy(*arguments, "-s", "PAGE_BUDGET=40", proxy=demo_proxy)
    assert f"Harvest of {name}" in again.stdout, again.stderr

    # a harvest of before, when the first seed's host was the name; what was learned is gone
    learned.unlink()
    host = seeds[0].split("/")[2]
    with sqlite3.connect(tmp_path / "harvest.db") as database:
        database.execute("UPDATE topics SET name = ?", [host])
    old = scrapy(*arguments, "-s", "PAGE_BUDGET=45", proxy=demo_proxy)
    assert f"Harvest of {host}" in old.stdout, old.stderr
    assert rows(tmp_path, "SELECT name FROM topics") == [(host,)]
    assert len(rows(tmp_path, "SELECT 1 FROM fetches WHERE counted")) == 45


def test_gbk_pages_are_read_right(scrapy: Scrapy, demo_web: Path, demo_proxy: str, tmp_path: Path) -> None:
    """One host declares its encoding, one declares a wrong one."""
    articles = [url for url, page in truth(demo_web).items() if page["kind"] == "article"]
    gbk = {url: text for url in articles if (text := text_if_gbk(demo_web / url.removeprefix("http://")))}
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("\n".join(sorted(gbk)[::6]), encoding="utf-8")
    arguments = ("crawl", "topic", "-a", f"topic={TOPIC}", "-a", f"seeds={seeds}", *of_topic(TOPIC)[6:])
    crawl = scrapy(*arguments, "-s", "PAGE_BUDGET=30", proxy=demo_proxy)
    assert crawl.returncode == 0, crawl.stderr
    read = {str(url): str(title) for url, title in rows(tmp_path, "SELECT url, title FROM pages") if url in gbk}
    assert len({url.split("/")[2] for url in read}) >= 2, "both hosts"
    for url, title in read.items():
        assert title
        assert title in gbk[url]


def text_if_gbk(page: Path) -> str:
    """The page's text when its bytes are GBK, else nothing."""
    content = (page / "index.html" if page.is_dir() else page).read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("gb18030")
    return ""


def stop(process: Command, number: signal.Signals, group: bool) -> None:
    if process.poll() is None:
        (os.killpg if group else os.kill)(process.pid, number)
    process.communicate(timeout=60)


def test_ctrl_c_stops_in_order(start: Start, scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    process = start(*of_topic(TOPIC, "-s", "PAGE_BUDGET=0"), proxy=demo_proxy)
    wait_for_pages(process, tmp_path, 30)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to the pool's processes too
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert "harvest rate" in out
    assert re.search("ended +│ stopped; the same command resumes", out)
    assert count(tmp_path, "urls WHERE state = 1") == 0, "leases were given back"
    before = fetched(tmp_path)
    budget = str(before + 10)
    assert scrapy(*of_topic(TOPIC, "-s", f"PAGE_BUDGET={budget}"), proxy=demo_proxy).returncode == 0
    assert fetched(tmp_path) == int(budget)


def wait_for_pages(process: Command, folder: Path, number: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            stored = count(folder, "pages")
        except sqlite3.OperationalError:  # not made yet
            stored = 0
        if stored >= number:
            return
        time.sleep(0.1)
    pytest.fail("the crawl got nowhere" if process.poll() is None else "the crawl had ended before it was killed")


def test_killed_again_and_again_nothing_is_lost_nothing_stored_twice(
    start: Start, scrapy: Scrapy, tmp_path: Path
) -> None:
    chance = random.Random(7)
    urls = tree(tmp_path / "web", 250)
    crawl = ("crawl", "topic", "-a", f"topic={TOPIC}", "-a", f"seeds={urls[0]}", *LOOPBACK, *PLAINLY)
    stored = 0
    with serve_in_thread(tmp_path / "web") as replay:
        for _ in range(KILLS):
            process = start(*crawl, *SLOWLY, proxy=replay.proxy)
            wait_for_pages(process, tmp_path, stored + chance.randint(1, 40))
            time.sleep(chance.random() * 0.15)
            stop(process, signal.SIGKILL, group=chance.random() < 0.5)  # half the time its pool survives for a moment
            stored = count(tmp_path, "pages")
        last = scrapy(*crawl, proxy=replay.proxy)
    assert last.returncode == 0, last.stderr

    judged = [str(url) for (url,) in rows(tmp_path, "SELECT url FROM pages")]
    assert sorted(judged) == sorted(urls)
    assert count(tmp_path, "urls WHERE state = 1") == 0, "a lease was left"
    twice = rows(tmp_path, "SELECT url_id FROM fetches WHERE counted GROUP BY url_id HAVING count(*) > 1")
    assert not twice, "a page was stored by two visits"
