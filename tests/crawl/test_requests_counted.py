"""Only what was sent is counted: every number that users see is that of the server's log."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from pathlib import Path

from crawler.crawl.limits import LEAST_SIDE_REQUESTS, CrawlLimits
from tests.conftest import LOOPBACK, Scrapy
from tests.crawl.test_fetching import page
from tests.crawl.test_harvest import shift
from tests.crawl.test_private_addresses import server
from tests.news.test_news_output import hook
from tests.stored import count, fetched, rows

LINKS = [f"http://{host}.example/{n}.html" for host in ("good", "down", "moved") for n in range(4)]
SIDE = ("/robots.txt", "/rules.txt", "/ai.txt", "/.well-known/tdmrep.json")


def answer(url: str) -> tuple[int, dict[str, str], bytes]:
    """Of a proxy: robots.txt of one host fails, that of another redirects; a page redirects as well."""
    host, path = url.split("/")[2], "/" + url.split("/", 3)[3]
    if path == "/robots.txt" and host == "down.example":
        return 502, {}, b""
    if path == "/robots.txt" and host == "moved.example":
        return 301, {"Location": f"http://{host}/rules.txt"}, b""
    if path in SIDE:
        return 404, {}, b""
    if path == "/1.html":
        return 302, {"Location": f"http://{host}/9.html"}, b""
    return 200, {"ETag": '"1"'}, page(url, *(LINKS if path == "/" else ()))


def test_of_a_crawl_and_of_a_harvest(scrapy: Scrapy, tmp_path: Path) -> None:
    store = ("-s", f"STORE_URL=sqlite:///{tmp_path / 'harvest.db'}")
    with server("127.0.0.1", answer) as (port, asked):
        proxy = f"http://127.0.0.1:{port}"
        command = ("crawl", "topic", "-a", "topic=machine-learning", "-a", "seeds=http://good.example/", *LOOPBACK)
        done = scrapy(*command, "-s", "RETRY_TIMES=1", proxy=proxy)
        assert done.returncode == 0, done.stderr
        side = [url for url in asked if url.endswith(SIDE)]
        pages = [url for url in asked if not url.endswith(SIDE)]
    assert not [url for url in pages if "down.example" in url], "nothing is fetched where robots.txt cannot be had"
    index = rows(
        tmp_path, "SELECT u.url FROM urls u JOIN fetches f ON f.url_id = u.id WHERE f.sent AND u.index_kind > ''"
    )
    assert len(pages) >= 8 and {url for (url,) in index} < set(pages)
    assert count(tmp_path, "fetches WHERE sent") == len(pages)
    unsent = count(tmp_path, "fetches WHERE NOT sent")
    assert int(str(unsent)) >= 4
    assert f"{len(pages)} requests, {len(index)} of them for index files" in done.stdout
    assert f"{len(side)} more for robots.txt, tdmrep.json and ai.txt" in done.stdout
    told = scrapy("news", "machine-learning", *store).stdout
    assert f"; {len(pages)} requests." in told
    reports = tmp_path / "reports"
    written = scrapy("report", "machine-learning", *store, "-s", f"REPORTS_DIR={reports}")
    assert written.returncode == 0, written.stderr
    html = (reports / "machine-learning" / "1.html").read_text(encoding="utf-8")
    cards = re.findall(r'<div class="card"><b>([^<]*)</b><span class="faint small">([^<]*)</span>', html)
    by_name = {name: value for value, name in cards}
    assert by_name["requests"] == str(len(pages))
    assert by_name["more for robots.txt, tdmrep.json and ai.txt"] == str(len(side))


def test_what_was_not_sent_costs_no_budget(scrapy: Scrapy, tmp_path: Path) -> None:
    with server("127.0.0.1", answer) as (port, asked):
        command = ("crawl", "topic", "-a", "topic=machine-learning", "-a", f"seeds={','.join(LINKS[4:] + LINKS[:4])}")
        done = scrapy(*command, *LOOPBACK, "-s", "RUN_BUDGET=6", proxy=f"http://127.0.0.1:{port}")
        assert done.returncode == 0, done.stderr
        pages = [url for url in asked if not url.endswith(SIDE)]
    assert len(pages) == 6
    assert count(tmp_path, "fetches WHERE sent") == 6


def test_hosts_that_cannot_be_asked_for_robots_txt_use_up_their_own_budget(scrapy: Scrapy, tmp_path: Path) -> None:
    """A run of six requests asks some hundred hosts in vain, not all, and its requests go to the host that answers."""
    down = [f"http://down{n}.example/{n}.html" for n in range(3 * LEAST_SIDE_REQUESTS)]

    def say(url: str) -> tuple[int, dict[str, str], bytes]:
        if "down" in url:
            return 502, {}, b""
        return (404, {}, b"") if url.endswith(SIDE) else (200, {}, page(url, *LINKS[:4], *down))

    with server("127.0.0.1", say) as (port, asked):
        command = ("crawl", "topic", "-a", "topic=machine-learning", "-a", "seeds=http://good.example/", *LOOPBACK)
        settings = ("-s", "RUN_BUDGET=50", "-s", "INDEX_FILES=False")
        done = scrapy(*command, *settings, proxy=f"http://127.0.0.1:{port}")
        assert done.returncode == 0, done.stderr
    side = [url for url in asked if url.endswith(SIDE)]
    budget = CrawlLimits(run_budget=50).side_requests
    assert budget <= len(side) < budget + 16 * 3, "what is under way may ask as well"
    assert sorted(url for url in asked if url not in side) == ["http://good.example/", *LINKS[:4]]
    assert f"{len(side)} requests for robots.txt and the like were made" in done.stdout
    assert rows(tmp_path, "SELECT count(*) > 100 FROM urls WHERE state = 0") == [(1,)], "the others wait"


def test_of_a_run_that_visits_again(scrapy: Scrapy, tmp_path: Path) -> None:
    """Answers 304 are requests; table, news, webhook and report tell the same numbers, those of the server's log."""
    again = False

    def say(url: str) -> tuple[int, dict[str, str], bytes]:
        status, headers, body = answer(url)
        return (
            (304, headers, b"")
            if again and headers.get("ETag") and not url.endswith("good.example/")
            else (
                status,
                headers,
                body,
            )
        )

    store = ("-s", f"STORE_URL=sqlite:///{tmp_path / 'harvest.db'}")
    command = ("crawl", "topic", "-a", "topic=machine-learning", "-a", "seeds=http://good.example/", *LOOPBACK)
    with server("127.0.0.1", say) as (port, asked), hook(204) as (address, told):
        proxy = f"http://127.0.0.1:{port}"
        assert scrapy(*command, proxy=proxy).returncode == 0
        shift(tmp_path, 60 * 24)
        with sqlite3.connect(tmp_path / "harvest.db") as database:
            database.execute("DELETE FROM side_files")  # they have expired by then
        database.close()
        again = True
        before = len(asked)
        done = scrapy(*command, "-s", "REVISIT=True", "-s", "RUN_BUDGET=12", proxy=proxy)
        assert done.returncode == 0, done.stderr
        side = [url for url in asked[before:] if url.endswith(SIDE)]
        pages = [url for url in asked[before:] if not url.endswith(SIDE)]
        assert scrapy("news", "machine-learning", *store, "--webhook", address).returncode == 0
    assert rows(tmp_path, "SELECT count(*) FROM fetches WHERE run_id = 2 AND status = 304") >= [(3,)]
    assert 4 <= len(pages) <= 12
    assert f" {len(pages)} requests, " in done.stdout
    assert [(one["run"], one["requests"]) for one in map(json.loads, told)] == [(2, len(pages))]
    assert count(tmp_path, "fetches WHERE run_id = 2 AND sent") == len(pages)
    assert rows(tmp_path, "SELECT robots FROM runs WHERE id = 2") == [(len(side),)]
    kept = rows(tmp_path, "SELECT count(*) FROM judgements WHERE outcome = 'kept'")[0][0]
    [line] = [line for line in scrapy("topics", *store).stdout.splitlines() if line.startswith("machine-learning")]
    assert f" {kept} " in line


def test_robots_txt_is_kept_for_the_next_run(scrapy: Scrapy, tmp_path: Path) -> None:
    said = {"": 1, "max-age=3600": 1, "max-age=0": 2, "no-store": 2}  # Cache-Control of a host, how often it is asked
    hosts = {f"host{number}.example": control for number, control in enumerate(said)}

    def say(url: str) -> tuple[int, dict[str, str], bytes]:
        if url.endswith("/robots.txt"):
            control = hosts[url.split("/")[2]]
            return 200, {"Cache-Control": control} if control else {}, b"User-agent: *\nDisallow: /secret\n"
        if url.endswith(SIDE):
            return 404, {}, b""
        return 200, {}, page(url, "/1.html", "/secret/2.html", "/3.html")

    with server("127.0.0.1", say) as (port, asked):
        seeds = f"seeds={','.join(f'http://{host}/' for host in hosts)}"
        command = ("crawl", "topic", "-a", "topic=machine-learning", "-a", seeds, *LOOPBACK)
        more = ("-s", "MINING_TAGS_OBEY=True")
        for budget in (len(hosts), 3 * len(hosts)):
            done = scrapy(*command, *more, "-s", f"PAGE_BUDGET={budget}", proxy=f"http://127.0.0.1:{port}")
            assert done.returncode == 0, done.stderr
    assert {control: asked.count(f"http://{host}/robots.txt") for host, control in hosts.items()} == said
    assert all(asked.count(f"http://{host}/ai.txt") == 1 for host in hosts), "that it is not there is kept too"
    assert [url for url in asked if "secret" in url] == [], "what was kept is obeyed"
    assert fetched(tmp_path) == 3 * len(hosts)


def test_that_a_host_has_no_such_file_is_believed_for_a_week(scrapy: Scrapy, tmp_path: Path) -> None:
    def say(url: str) -> tuple[int, dict[str, str], bytes]:
        if url.endswith(SIDE):
            return (
                (200, {}, b"User-agent: *\nAllow: /\n") if url.endswith("/ai.txt") and "b.ex" in url else (404, {}, b"")
            )
        return 200, {}, page(url)

    with server("127.0.0.1", say) as (port, _):
        seeds = "seeds=http://a.example/,http://b.example/"
        own = (*LOOPBACK, "-s", "MINING_TAGS_OBEY=True")
        command = ("crawl", "topic", "-a", "topic=machine-learning", "-a", seeds, *own)
        proxy = f"http://127.0.0.1:{port}"
        assert scrapy(*command, proxy=proxy).returncode == 0
        days = {1: ["http://a.example/robots.txt", "http://b.example/robots.txt", "http://b.example/ai.txt"]}
        days[7] = [f"http://{name}/.well-known/tdmrep.json" for name in ("a.example", "b.example")]
        days[7].append("http://a.example/ai.txt")
        for age, expected in days.items():
            now = time.time()
            kept = rows(tmp_path, f"SELECT url FROM side_files WHERE round((expires_at - {now}) / 86400) = {age}")
            assert sorted(str(url) for (url,) in kept) == sorted(expected)
