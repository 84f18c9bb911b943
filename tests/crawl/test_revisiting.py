"""Second runs over the same topic, as a user runs them, on a web that changes or does not."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

from crawler.clock import CLOCK
from lab.replay.background import serve_in_thread
from lab.replay.server import Replay
from tests.conftest import LOOPBACK, Scrapy, Start
from tests.crawl.test_private_addresses import server
from tests.lab.links.smallweb import GARDEN, build, markup
from tests.lab.replay.lapsed import write
from tests.stored import count, rows
from tests.warm import Command

HOME, HOST = "http://b-garden.example/", "b-garden.example"
MONTH = 30 * 86400
OnDay = Callable[[Replay, int], None]
AGAIN = ("-s", "REVISIT=True")
KILLS = 3  # lab/benchmarks/README.md has a run with 20


def gardening(topics: Path, seeds: str, *more: str) -> tuple[str, ...]:
    topic = ("-a", f"topic={topics / 'gardening.toml'}", "-a", f"seeds={seeds}")
    return ("crawl", "topic", *topic, *LOOPBACK, "-s", "PAGE_BUDGET=0", *more)


@pytest.fixture
def on_day(monkeypatch: pytest.MonkeyPatch) -> OnDay:
    """Serves that day, to which it sets the clock of the crawls that follow."""

    def turn(replay: Replay, day: int) -> None:
        with build_opener(ProxyHandler({})).open(f"{replay.proxy}/?day={day}") as answer:
            monkeypatch.setenv(CLOCK, str(json.load(answer)[CLOCK]))

    return turn


def sent(folder: Path, run: int) -> tuple[int, int]:
    """Requests and bytes of one run."""
    [(asked, size)] = rows(folder, f"SELECT count(*), sum(size) FROM fetches WHERE run_id = {run}")
    return int(str(asked)), int(str(size))


def test_an_unchanged_web_is_hardly_transferred_again(
    scrapy: Scrapy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path / "made")
    seeds = f"{HOME},http://a-sport.example/"
    with serve_in_thread(tmp_path / "made" / "web") as replay:
        crawl = gardening(tmp_path / "made" / "topics", seeds)
        assert scrapy(*crawl, proxy=replay.proxy).returncode == 0
        monkeypatch.setenv(CLOCK, str(MONTH))
        again = scrapy(*crawl, *AGAIN, proxy=replay.proxy)
        assert again.returncode == 0, again.stderr
    (asked, size), (asked_again, size_again) = sent(tmp_path, 1), sent(tmp_path, 2)
    assert asked >= 28
    assert asked_again >= 12, "nothing was visited again"
    assert size_again <= 0.05 * size
    assert rows(tmp_path, "SELECT DISTINCT outcome FROM fetches WHERE run_id = 2 AND status = 304") == [("unchanged",)]
    assert count(tmp_path, "versions") == 0
    assert rows(tmp_path, "SELECT ended FROM runs") == [("finished",), ("finished",)]


def garden(posts: list[int]) -> str:
    return markup("首页", "", [(f"/{n}.html", f"阳台园艺之{n}") for n in posts])


def post(n: int, more: str = "") -> str:
    """No two of them are alike enough to repeat one another."""
    own = "".join(random.Random(n).choices("月季绣球兰花牡丹种盆土水肥根叶芽枝修剪春夏秋冬晴雨", k=200))
    return markup(f"阳台园艺之{n}", f"阳台园艺之{n}。{own}。{GARDEN}{more}", [("/", "首页")])


def test_what_is_new_changed_and_missing_is_found(scrapy: Scrapy, tmp_path: Path, on_day: OnDay) -> None:
    states = {
        f"{HOST}/index.html": [(0.0, garden([1, 2, 3])), (10.0, garden([4, 1, 2, 3]))],
        f"{HOST}/1.html": [(0.0, post(1)), (10.0, post(1) + "<!-- deployed again -->")],
        f"{HOST}/2.html": [(0.0, post(2)), (10.0, post(2, "冬天要搬进室内，免得受冻，少浇水。"))],
        f"{HOST}/3.html": [(0.0, post(3)), (10.0, None)],
        f"{HOST}/4.html": [(10.0, post(4))],
    }
    build(tmp_path / "made")
    with serve_in_thread(write(tmp_path / "lapse", states), store=tmp_path / "store") as replay:
        crawl = gardening(tmp_path / "made" / "topics", HOME)
        on_day(replay, 0)
        assert scrapy(*crawl, proxy=replay.proxy).returncode == 0
        on_day(replay, 40)
        again = scrapy(*crawl, *AGAIN, proxy=replay.proxy)
        assert again.returncode == 0, again.stderr
    outcomes = dict(rows(tmp_path, "SELECT url, outcome FROM fetches JOIN urls ON urls.id = url_id WHERE run_id = 2"))
    named = {str(url).rsplit("/", 1)[1]: outcome for url, outcome in outcomes.items()}
    assert named == {
        "": "off-topic",
        "1.html": "unchanged",
        "2.html": "changed",
        "3.html": "failed",
        "4.html": "kept",
    }
    assert count(tmp_path, "versions") == 1
    day = rows(tmp_path, "SELECT (ended_at - 1704067200) / 86400 FROM runs ORDER BY id")
    assert [round(float(str(end))) for (end,) in day] == [0, 40], "the runs follow the clock of the replay"


def test_a_host_that_is_down_leaves_a_run_to_the_others(
    scrapy: Scrapy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most pages are its own, and the best."""
    build(tmp_path / "made")
    pages = {"http://down.example/": 40, **{f"http://up{n}.example/": 12 for n in range(3)}}
    days = [0]

    def say(url: str) -> tuple[int, dict[str, str], bytes]:
        home = next(home for home in pages if url.startswith(home))
        path, place = url.removeprefix(home).removesuffix(".html"), [*pages].index(home)
        if days[0] and place == 0:
            return 502, {}, b""
        if not path:
            return 200, {}, garden(list(range(pages[home]))).encode()
        return (200, {}, post(100 * place + int(path)).encode()) if path.isdecimal() else (404, {}, b"")

    with server("127.0.0.1", say) as (port, asked):
        quick = ("-s", "EXTRACTOR=plain", "-s", "CONTACT=me@example.org")
        crawl = gardening(tmp_path / "made" / "topics", ",".join(pages), *quick)
        assert scrapy(*crawl, proxy=f"http://127.0.0.1:{port}").returncode == 0
        days[0], before = 3, len(asked)
        monkeypatch.setenv(CLOCK, str(days[0] * 86400))
        again = scrapy(*crawl, *AGAIN, "-s", "RUN_BUDGET=20", proxy=f"http://127.0.0.1:{port}")
    assert again.returncode == 0, again.stderr
    assert count(tmp_path, "fetches WHERE run_id = 2 AND sent") == 20
    assert {url for url in asked[before:] if "down." in url} == {"http://down.example/robots.txt"}


def test_kill_9_during_revisits_loses_nothing(start: Start, scrapy: Scrapy, tmp_path: Path, on_day: OnDay) -> None:
    """No page is lost or stored twice, no version is made twice, no visit is left half-done."""
    build(tmp_path / "made")
    names = range(1, 31)
    states = {f"{HOST}/index.html": [(0.0, garden(list(names)))]}
    states |= {f"{HOST}/{n}.html": [(0.0, post(n)), (10.0, post(n, f"又过了{n}天，花开了。"))] for n in names}
    chance = random.Random(20261122)
    with serve_in_thread(write(tmp_path / "lapse", states), store=tmp_path / "store", delay=0.02) as replay:
        quick = ("-s", "EXTRACTOR=plain", "-s", "LINK_SCORER=bfs", "-s", "CONCURRENT_REQUESTS=2")
        crawl = gardening(tmp_path / "made" / "topics", HOME, *quick)
        on_day(replay, 0)
        assert scrapy(*crawl, proxy=replay.proxy).returncode == 0
        before = rows(tmp_path, "SELECT url FROM pages WHERE body IS NOT NULL ORDER BY url")
        on_day(replay, 60)
        again = (*crawl, *AGAIN)
        for _ in range(KILLS):
            seen = count(tmp_path, "fetches")
            process = start(*again, proxy=replay.proxy)
            wait_for_fetches(process, tmp_path, int(str(seen)) + chance.randint(1, 5))
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate(timeout=60)
        last = scrapy(*again, proxy=replay.proxy)
        assert last.returncode == 0, last.stderr
    assert rows(tmp_path, "SELECT url FROM pages WHERE body IS NOT NULL ORDER BY url") == before
    assert rows(tmp_path, "SELECT page_id FROM versions GROUP BY page_id, digest HAVING count(*) > 1") == []
    [(changed,)], [(versions,)] = (
        rows(tmp_path, query)
        for query in ("SELECT count(*) FROM fetches WHERE outcome = 'changed'", "SELECT count(*) FROM versions")
    )
    assert changed == versions == len(before)
    assert count(tmp_path, "urls WHERE state = 1") == 0
    ended = [why for (why,) in rows(tmp_path, "SELECT ended FROM runs ORDER BY id")]
    assert ended[-1] == "finished"
    assert "killed" in ended


def wait_for_fetches(process: Command, folder: Path, number: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        done = count(folder, "fetches")
        if done >= number:
            return
