"""Step 0 of a crawl, with pages out of a dictionary in place of a network."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.analyse import describe
from crawler.crawl.topic_from_pages import FetchError, learn_topic
from crawler.crawl.worker import AnalysisError
from crawler.errors import SeedError, TopicError
from crawler.reader.html.page import Page
from crawler.reader.papers.plain import plain
from crawler.topic.files import Topic
from crawler.topic.learn import Description

TEA, WINE = "https://tea.example/", "https://wine.example/"
PAGES = {
    TEA: "<title>绿茶的冲泡</title><p>绿茶的冲泡讲究水温，茶叶放进杯里，先用少许热水润一润，再把水加满。</p>",
    WINE: "<title>米酒的酿造</title><p>米酒的酿造从蒸米开始，米饭放凉之后拌上酒曲，装进坛子里等它慢慢发酵。</p>",
}


async def fetch(address: str) -> str:
    if address not in PAGES:
        raise FetchError("status 404")
    return PAGES[address]


async def described(markup: str) -> Description:
    if "odd" in markup:
        raise AnalysisError("the analysis failed: ZeroDivisionError")
    return describe(Page(markup), plain)


def learned(topic: Topic) -> Topic:
    return asyncio.run(learn_topic(topic, fetch, described))


def test_learned_once_and_kept(tmp_path: Path) -> None:
    topic = learned(Topic.from_seeds("drinks", [TEA, WINE], tmp_path))
    assert topic.vector is not None
    assert {"绿茶", "米酒"} <= set(topic.vector.weights)
    assert learned(topic) is topic
    assert Topic.from_seeds("drinks", [TEA, WINE], tmp_path) == topic


def test_what_an_older_program_learned_is_calibrated(tmp_path: Path) -> None:
    topic = learned(Topic.from_seeds("drinks", [TEA, WINE], tmp_path))
    assert topic.vector is not None
    older = replace(topic, vector=replace(topic.vector, calibration=None))
    older.save_learned()
    assert learned(older) == topic
    assert Topic.from_seeds("drinks", [TEA, WINE], tmp_path) == topic


def test_a_topic_of_texts_needs_no_pages(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "drinks.toml"
    path.write_text("texts = ['绿茶和红茶']", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        learned(Topic.load("drinks", tmp_path))
    assert not caplog.messages


def test_a_page_that_cannot_be_fetched_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    seeds = [TEA, "https://gone.example/"]
    with caplog.at_level(logging.WARNING):
        topic = learned(Topic.from_seeds("drinks", seeds, tmp_path))
    assert topic.vector is not None and "绿茶" in topic.vector.weights
    missing, few = caplog.messages
    assert missing == "topic drinks is learned without the page https://gone.example/: status 404"
    assert few.startswith("topic drinks is learned from only 1 pages; give 5 or more")


def test_a_page_that_cannot_be_analysed_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "odd.html").write_text("odd", encoding="utf-8")
    path = tmp_path / "drinks.toml"
    path.write_text(f"pages = ['odd.html', '{TEA}']", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        topic = learned(Topic.load(path))
    assert topic.vector is not None and "绿茶" in topic.vector.weights
    assert "odd.html: the analysis failed: ZeroDivisionError" in caplog.text


def test_no_page_can_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(SeedError, match=r"none of the pages .*gone.example/: status 404.*check the addresses"):
        learned(Topic.from_seeds("drinks", ["https://gone.example/"], tmp_path))


def test_pages_on_disk_are_enough(tmp_path: Path) -> None:
    (tmp_path / "tea.html").write_bytes(PAGES[TEA].encode("gb18030"))
    path = tmp_path / "drinks.toml"
    path.write_text("pages = ['tea.html', 'https://gone.example/']", encoding="utf-8")
    topic = learned(Topic.load(path))
    assert topic.vector is not None and "绿茶" in topic.vector.weights


def test_a_page_on_disk_that_is_gone(tmp_path: Path) -> None:
    page = tmp_path / "tea.html"
    page.write_text(PAGES[TEA], encoding="utf-8")
    path = tmp_path / "drinks.toml"
    path.write_text("pages = ['tea.html']", encoding="utf-8")
    topic = Topic.load(path)
    page.unlink()
    with pytest.raises(TopicError, match=r"tea\.html cannot be used .*correct its name"):
        learned(topic)


def test_another_failure_is_no_missing_page(tmp_path: Path) -> None:
    async def broken(address: str) -> str:
        raise ZeroDivisionError(address)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(learn_topic(Topic.from_seeds("drinks", [TEA], tmp_path), broken, described))
