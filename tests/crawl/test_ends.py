"""How crawls end, what they say then and return, and that the same command goes on."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, Scrapy
from tests.crawl.test_fetching import HOST, outcomes, page, write_web
from tests.stored import count

ARGUMENTS = ("crawl", "topic", "-a", "topic=machine-learning", *LOOPBACK)
CHAIN = {f"a.example/{n}.html": page("一二三四五六七八九"[n], f"{n + 1}.html") for n in range(9)}


def error(stderr: str) -> str:
    assert "Traceback" not in stderr
    [told] = [line for line in stderr.splitlines() if line.startswith("Error: ")]
    return told


@pytest.fixture
def nobody() -> str:
    """A proxy that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_seed_that_was_down_is_asked_again(scrapy: Scrapy, tmp_path: Path) -> None:
    """So is the page to which a seed redirects; a page that was fetched is not."""
    files = {f"a.example/{name}.html": page(name) for name in ("one", "two", "three")}
    redirect = {"status": 301, "location": "/two.html"}
    down = {f"{HOST}/{name}.html": {"status": 503} for name in ("one", "two")}
    seeds = ("-a", f"seeds={HOST}/one.html,{HOST}/from.html,{HOST}/three.html")
    for rules in (down, {}):
        web = write_web(tmp_path / "web", files, {f"{HOST}/from.html": redirect, **rules})
        with serve_in_thread(web) as replay:
            crawl = scrapy(*ARGUMENTS, *seeds, proxy=replay.proxy)
        assert crawl.returncode == 0, crawl.stderr
        assert outcomes(tmp_path)[f"{HOST}/one.html"][0] == ("failed" if rules else "kept")
    assert {url for url, (outcome, _) in outcomes(tmp_path).items() if outcome == "kept"} == {
        f"http://{name}" for name in files
    }
    assert count(tmp_path, "fetches WHERE status = 200") == 3


def test_seeds_whose_publishers_want_no_crawler(scrapy: Scrapy, tmp_path: Path) -> None:
    files = {f"a.example/{n}.html": page(str(n)) for n in range(5)}
    web = write_web(tmp_path / "web", {**files, "a.example/robots.txt": b"User-agent: *\nDisallow: /\n"})
    with serve_in_thread(web) as replay:
        crawl = scrapy(*ARGUMENTS, "-a", f"seeds={','.join(f'http://{name}' for name in files)}", proxy=replay.proxy)
    assert crawl.returncode == 2
    assert "choose other seeds" in error(crawl.stderr)
    assert "and 2 more" in error(crawl.stderr)
    assert "Next:" not in crawl.stdout, "the error says it"


def test_seeds_that_the_topic_forbids(scrapy: Scrapy, tmp_path: Path, topics: Path) -> None:
    topic = topics / "mine.toml"
    topic.write_text("keywords = { '机器学习' = 1.0 }\nallowed_hosts = ['b.example']\n", encoding="utf-8")
    crawl = scrapy("crawl", "topic", "-a", f"topic={topic}", "-a", f"seeds={HOST}/")
    assert crawl.returncode == 2
    assert f"forbid the seeds {HOST}/; allow their hosts" in error(crawl.stderr)


def test_target_and_a_network_that_is_away(scrapy: Scrapy, tmp_path: Path, nobody: str) -> None:
    seeds = ("-a", f"seeds={HOST}/0.html")
    with serve_in_thread(write_web(tmp_path / "web", CHAIN)) as replay:
        crawl = scrapy(*ARGUMENTS, *seeds, "-s", "PAGE_TARGET=3", proxy=replay.proxy)
        assert crawl.returncode == 0, crawl.stderr
        assert re.search(r"ended +│ PAGE_TARGET=3 reached", crawl.stdout)
        assert "'finish_reason': 'target'" in crawl.stderr
        again = scrapy(*ARGUMENTS, *seeds, "-s", "PAGE_TARGET=3", proxy=replay.proxy)
        assert "PAGE_TARGET=3 reached" in again.stdout
        assert count(tmp_path, "fetches") == 3, "and not a page more"
    away = scrapy(*ARGUMENTS, *seeds, proxy=nobody)
    assert away.returncode == 2
    assert "no host has answered" in error(away.stderr)
    with serve_in_thread(tmp_path / "web") as replay:
        assert scrapy(*ARGUMENTS, *seeds, proxy=replay.proxy).returncode == 0
    assert count(tmp_path, "judgements") == 9, "nothing was lost"
