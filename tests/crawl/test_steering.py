"""A host that is blocked while the crawl runs gets no request from then on, nor after kill -9, until it is cleared."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, Scrapy, Start
from tests.crawl.test_fetching import page, write_web
from tests.stored import count

PAGES = 40  # of each host
UNDER_WAY = 4  # requests at a time
TOPIC = "machine-learning"


def asked(log: Path, host: str) -> int:
    return sum(f"//{host}/" in line and "robots" not in line for line in log.read_text(encoding="utf-8").splitlines())


def test_blocked_in_mid_crawl(start: Start, scrapy: Scrapy, tmp_path: Path) -> None:
    names = ("a.example", "b.example")
    files = {f"{host}/{n}.html": page(f"{host} {n}") for host in names for n in range(1, PAGES)}
    for host in names:
        files[f"{host}/0.html"] = page(host, *(f"{n}.html" for n in range(1, PAGES)))
    web, log = write_web(tmp_path / "web", files), tmp_path / "log"
    quick = ("-s", "EXTRACTOR=plain", "-s", "LINK_SCORER=bfs", "-s", f"CONCURRENT_REQUESTS={UNDER_WAY}")
    seeds = f"seeds={','.join(f'http://{host}/0.html' for host in names)}"
    crawl = ("crawl", "topic", "-a", f"topic={TOPIC}", "-a", seeds, *LOOPBACK, *quick, "-s", "PAGE_BUDGET=0")
    with serve_in_thread(web, log=log, delay=0.3) as replay:
        process = start(*crawl, proxy=replay.proxy)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not log.exists() or asked(log, "b.example") < 5):
            time.sleep(0.1)
        blocked = scrapy("steer", TOPIC, "block", "b.example")
        assert blocked.returncode == 0, blocked.stderr
        before = asked(log, "b.example")
        assert process.poll() is None, "the crawl was over before the block"
        while time.monotonic() < deadline and asked(log, "a.example") < 20:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert scrapy(*crawl, proxy=replay.proxy).returncode == 0
        assert asked(log, "b.example") - before <= UNDER_WAY, "what was under way"
        assert before < PAGES - UNDER_WAY
        fetched = count(tmp_path, "pages WHERE url LIKE 'http://a.example/%'")
        assert fetched == PAGES, "the other host is fetched whole"
        assert scrapy("steer", TOPIC, "clear", "b.example").returncode == 0
        assert scrapy(*crawl, proxy=replay.proxy).returncode == 0
    assert count(tmp_path, "pages") == 2 * PAGES
