"""Webs that lead nowhere, in circles, or thousands of times to the same place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.analyse import analyse
from crawler.reader.html.links import links
from crawler.reader.html.page import Page
from crawler.reader.papers.plain import plain
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, ROOT, Scrapy
from tests.stored import rows

MANY = 30_000
TEXT = "机器学习的模型在训练集上拟合，在测试集上评价；神经网络、决策树和支持向量机都是常见的模型。" * 8
CIRCLE = ("a", "b", "c")


def page(body: str) -> str:
    head = "<!DOCTYPE html><html><head><meta charset=utf-8><title>机器学习笔记</title></head>"
    return f"{head}<body><article><p>{TEXT}</p></article>{body}</body></html>"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    web = tmp_path_factory.mktemp("bad")
    pages = {"alone.example/index.html": page(""), "same.example/index.html": page("<a href=/x>同</a> " * MANY)}
    refresh = '<meta http-equiv="refresh" content="0; url=http://[nowhere/">'
    pages["refresh.example/away.html"] = page("").replace("<head>", f"<head>{refresh}")
    pages["same.example/x.html"] = page("<a href=/x.html>自己</a><a href=/>首页</a>" * 100)
    for place, name in enumerate(CIRCLE):
        following = CIRCLE[(place + 1) % len(CIRCLE)]
        pages[f"circle.example/{name}.html"] = page(f'第{place}页 <a href="{following}.html">下一页</a>')
    for name, text in pages.items():
        (web / name).parent.mkdir(exist_ok=True)
        (web / name).write_text(text.replace("href=/x>", "href=/x.html>"), encoding="utf-8")
    with serve_in_thread(web) as replay:
        yield replay.proxy


def crawl(scrapy: Scrapy, seeds: str, proxy: str) -> str:
    """The end table of a crawl to its own end."""
    arguments = ("-a", "topic=machine-learning", "-a", f"seeds={seeds}", *LOOPBACK)
    done = scrapy("crawl", "topic", *arguments, proxy=proxy)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_one_seed_without_links(scrapy: Scrapy, proxy: str) -> None:
    told = crawl(scrapy, "http://alone.example/", proxy)
    assert "pages fetched │ 1 " in told
    assert "still waiting │ 0 " in told
    assert "ended         │ finished" in told


def test_refresh_to_no_address(scrapy: Scrapy, proxy: str) -> None:
    told = crawl(scrapy, "http://refresh.example/away.html", proxy)
    assert "pages fetched │ 1 " in told
    assert "on topic      │ 1 " in told


def test_circles_and_identical_links(scrapy: Scrapy, proxy: str, tmp_path: Path) -> None:
    """Each page is fetched once, and then the crawl ends."""
    told = crawl(scrapy, "http://circle.example/a.html,http://same.example/", proxy)
    assert "pages fetched │ 5 " in told
    assert "ended         │ finished" in told
    fetched = rows(tmp_path, "SELECT url, count(*) FROM fetches f JOIN urls u ON u.id = f.url_id GROUP BY url")
    names = [f"http://circle.example/{name}.html" for name in CIRCLE]
    pages = [*names, "http://same.example/", "http://same.example/x.html"]
    assert sorted(fetched) == [(url, 1) for url in sorted(pages)]


def test_identical_links_are_one_before_anything_is_made_of_them() -> None:
    markup = page("<a href=/x title=同><img alt=图>同</a> " * MANY)
    [link] = links(Page(markup, "http://same.example/"))
    assert (link.url, link.anchor, link.title) == ("http://same.example/x", "同", "同")
    topic = Topic.load("machine-learning", ROOT / "topics").learn()
    [outlink] = analyse(Page(markup, "http://same.example/"), plain, Judge(topic)).outlinks
    assert outlink.link == link
