"""Components that do not hand on what they get: a crawl goes on without the page, says why, and ends."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import DropItem
from scrapy.http import Response

from crawler import settings
from crawler.reader.html.page import Page
from crawler.reader.papers.plain import plain
from crawler.records import Extraction, JudgedPage, Visit
from crawler.scorers.simple import BreadthFirst
from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, Scrapy
from tests.crawl.test_fetching import HOST, outcomes, page, write_web

HERE = "tests.crawl.test_components"
BAD = "bad"  # in the address of the page that each of these fails at


def is_bad(item: object) -> bool:
    return isinstance(item, Visit) and BAD in item.claim.url


class Raises:
    def process_item(self, item: Any) -> Any:
        if is_bad(item):
            raise KeyError("price")
        return item


class Drops(Raises):
    def process_item(self, item: Any) -> Any:
        if is_bad(item):
            raise DropItem("not wanted")
        return item


class Swallows:
    """A spider middleware."""

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for item in result:
            if not is_bad(item):
                yield item


class Breaks:
    """A spider middleware."""

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for item in result:
            if is_bad(item):
                raise ValueError("no such column")
            yield item


class Forgetful(BreadthFirst):
    """A link scorer."""

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        if BAD in page.url:
            raise ZeroDivisionError("no links")
        return super().observe(page)


def broken(page: Page) -> Extraction:
    """An extractor."""
    if BAD in page.url:
        raise ZeroDivisionError("no lines")
    return plain(page)


@pytest.fixture
def web(tmp_path: Path) -> Path:
    names = ["good1", "bad", "good2"]
    files = {f"a.example/{name}.html": page(name) for name in names}
    start = page("首页", *(f"/{name}.html" for name in names))
    return write_web(tmp_path / "web", {"a.example/index.html": start, **files})


@pytest.mark.parametrize(
    ("setting", "component", "place", "reason"),
    [
        ("ITEM_PIPELINES", Raises, -500, "a pipeline or middleware failed on it: KeyError: 'price'"),
        ("ITEM_PIPELINES", Raises, -150, "a pipeline or middleware failed on it: KeyError: 'price'"),
        ("ITEM_PIPELINES", Drops, -500, "a pipeline or middleware failed on it: DropItem: not wanted"),
        ("SPIDER_MIDDLEWARES", Breaks, 100, "a pipeline or middleware failed on it: ValueError: no such column"),
        ("SPIDER_MIDDLEWARES", Swallows, 100, "a pipeline or middleware dropped the page without an error"),
    ],
)
def test_a_component_that_fails(
    scrapy: Scrapy, web: Path, tmp_path: Path, setting: str, component: type, place: int, reason: str
) -> None:
    ours = json.dumps({**getattr(settings, setting), f"{HERE}.{component.__name__}": place})
    arguments = ("-a", "topic=machine-learning", "-a", f"seeds={HOST}/", *LOOPBACK, "-s", f"{setting}={ours}")
    with serve_in_thread(web) as replay:
        done = scrapy("crawl", "topic", *arguments, proxy=replay.proxy)
    assert done.returncode == 0, done.stderr
    ends = outcomes(tmp_path)
    assert ends[f"{HOST}/bad.html"] == ("failed", reason)
    assert {ends[f"{HOST}/good{n}.html"][0] for n in (1, 2)} == {"kept"}
    assert "ended         │ finished" in done.stdout


def test_the_links_of_a_page_whose_extraction_fails_go_with_it(scrapy: Scrapy, tmp_path: Path) -> None:
    """They were found before; but a link's score takes the judgement of its page into account."""
    files = {"a.example/bad.html": page("坏", "/below.html"), "a.example/below.html": page("下")}
    web = write_web(tmp_path / "web", {"a.example/index.html": page("首页", "/bad.html"), **files})
    arguments = ("-a", "topic=machine-learning", "-a", f"seeds={HOST}/", *LOOPBACK)
    with serve_in_thread(web) as replay:
        done = scrapy("crawl", "topic", *arguments, "-s", f"EXTRACTOR={HERE}.broken", proxy=replay.proxy)
    assert done.returncode == 0, done.stderr
    ends = outcomes(tmp_path)
    assert ends[f"{HOST}/bad.html"] == ("failed", "the analysis failed: ZeroDivisionError: no lines")
    assert f"{HOST}/below.html" not in ends


def test_a_link_scorer_that_fails_ends_the_crawl_and_nothing_is_lost(scrapy: Scrapy, web: Path, tmp_path: Path) -> None:
    arguments = ("-a", "topic=machine-learning", "-a", f"seeds={HOST}/", *LOOPBACK)
    with serve_in_thread(web) as replay:
        done = scrapy("crawl", "topic", *arguments, "-s", f"LINK_SCORER={HERE}.Forgetful", proxy=replay.proxy)
        assert done.returncode == 2
        assert "Error: the link scorer or the store failed (ZeroDivisionError: no links)" in done.stderr
        done = scrapy("crawl", "topic", *arguments, "-s", "LINK_SCORER=bfs", proxy=replay.proxy)
    assert done.returncode == 0, done.stderr
    ends = {url: outcome for url, (outcome, _) in outcomes(tmp_path).items()}
    assert ends.pop(f"{HOST}/") == "off-topic", "a home page is a list"
    assert set(ends.values()) == {"kept"}
