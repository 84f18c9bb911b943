"""Whom to ask about a crawl: needed for more than 100 pages of the public web."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.settings import Settings

import crawler.settings as ours
from crawler.errors import SettingError
from crawler.options import has_contact, user_agent
from lab.replay.wire import VIA
from tests.conftest import LOOPBACK, Scrapy
from tests.crawl.test_fetching import page
from tests.crawl.test_private_addresses import server
from tests.stored import rows

PAGES = 105


def answer(path: str) -> tuple[int, dict[str, str], bytes]:
    """Of a proxy, which looks like one to the public web."""
    links = [f"/{n}.html" for n in range(1, PAGES)] if path.endswith(".example/") else []
    return 404 if path.endswith("robots.txt") else 200, {}, page(path, *links)


def answer_of_replay(path: str) -> tuple[int, dict[str, str], bytes]:
    status, headers, body = answer(path)
    return status, {**headers, "Via": VIA}, body


FETCHED = "SELECT count(*) FROM fetches WHERE counted"
CRAWL = ("crawl", "topic", "-a", "topic=machine-learning", "-a", "seeds=http://a.example/", *LOOPBACK)
QUICK = ("-s", "EXTRACTOR=plain", "-s", "LINK_SCORER=bfs")


def test_no_more_than_100_pages_of_the_public_web_without_a_contact(scrapy: Scrapy, tmp_path: Path) -> None:
    with server("127.0.0.1", answer) as (port, _):
        proxy = f"http://127.0.0.1:{port}"
        done = scrapy(*CRAWL, *QUICK, proxy=proxy)
        assert done.returncode == 0, done.stderr
        assert "CONTACT=me@my.org" in done.stdout
        assert rows(tmp_path, "SELECT ended FROM runs") == [('no-contact {"count":100}',)]
        assert "Traceback" not in done.stderr
        assert rows(tmp_path, FETCHED) == [(100,)]
        done = scrapy(*CRAWL, *QUICK, "-s", "CONTACT=me@my.org", proxy=proxy)
        assert done.returncode == 0, done.stderr
        assert rows(tmp_path, FETCHED) == [(PAGES,)]


def test_a_replay_is_not_the_public_web(scrapy: Scrapy, tmp_path: Path) -> None:
    with server("127.0.0.1", answer_of_replay) as (port, _):
        done = scrapy(*CRAWL, *QUICK, proxy=f"http://127.0.0.1:{port}")
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path, FETCHED) == [(PAGES,)]


@pytest.mark.parametrize(
    ("agent", "contact", "expected", "has"),
    [
        (ours.USER_AGENT, "", ours.USER_AGENT, False),
        (ours.USER_AGENT, "me@my.org", f"{ours.USER_AGENT} (+me@my.org)", True),
        ("mine", "https://my.org/crawl", "mine (+https://my.org/crawl)", True),
        ("mine (+https://my.org/crawl)", "https://my.org/crawl", "mine (+https://my.org/crawl)", True),
        ("mine/1.0 (+http://我的.中国/)", "", "mine/1.0 (+http://我的.中国/)", True),
        ("mine (me@my.org)", "", "mine (me@my.org)", True),
        ("mine (+https://example.com/about)", "", "mine (+https://example.com/about)", False),
        ("Mozilla/5.0 (X11; Linux x86_64)", "", "Mozilla/5.0 (X11; Linux x86_64)", False),
    ],
)
def test_user_agent(agent: str, contact: str, expected: str, has: bool) -> None:
    told = user_agent(Settings({"USER_AGENT": agent, "CONTACT": contact}))
    assert told == expected
    assert has_contact(told) == has


@pytest.mark.parametrize("contact", ["me", "my.org", "http://localhost", "a b@c.d e", "x@y"])
def test_what_is_no_contact(contact: str) -> None:
    with pytest.raises(SettingError, match="CONTACT="):
        user_agent(Settings({"USER_AGENT": "mine", "CONTACT": contact}))
