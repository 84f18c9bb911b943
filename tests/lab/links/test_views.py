"""Pages in the eyes of a topic: as a crawl's worker sees them, from the cache or not."""

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.analyse import analyse
from crawler.errors import StoreError
from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from lab.links.cache import Cache
from lab.links.recorded import RecordedWeb
from lab.links.topics import learned
from lab.links.views import Readings, Views
from tests.lab.links.smallweb import build

HOME, POST = "http://b-garden.example/", "http://b-garden.example/1.html"


def test_the_cache_gives_back_what_a_worker_computes(tmp_path: Path) -> None:
    build(tmp_path)
    web = RecordedWeb.open(tmp_path / "web")
    topic = learned(Topic.load("gardening", tmp_path / "topics"), web, "best")
    judge = Judge(topic)
    for _ in range(2):
        cache = Cache(tmp_path / "cache")
        views = Views(Readings(web, cache, "best"), topic)
        for url in (HOME, POST):
            view = views.see(url)
            assert view.is_page
            assert view.analysis is not None
            pages = tuple(outlink for outlink in view.analysis.outlinks if not outlink.link.index_kind)
            assert replace(view.analysis, outlinks=pages) == analyse(
                Page(web.fetch(url).markup, url), best, judge, again=True
            )
            assert views.see(url) is view
        cache.close()


def test_what_is_no_page(tmp_path: Path) -> None:
    build(tmp_path)
    (tmp_path / "web/a-sport.example/robots.txt").write_text("User-agent: *\nDisallow: /1", "utf-8")
    web = RecordedWeb.open(tmp_path / "web")
    topic = learned(Topic.load("gardening", tmp_path / "topics"), web, "plain")
    cache = Cache(tmp_path / "cache")
    views = Views(Readings(web, cache, "plain"), topic)
    assert views.see("http://a-sport.example/1.html").status == 0
    assert views.see("http://a-sport.example/2.html").status == 200
    assert views.see("http://a-sport.example/missing").status == 404
    assert views.see("https://b-garden.example/").target == HOME
    cache.close()


def test_a_cache_that_fails_is_no_pages_fault(tmp_path: Path) -> None:
    build(tmp_path)
    web = RecordedWeb.open(tmp_path / "web")
    topic = learned(Topic.load("gardening", tmp_path / "topics"), web, "plain")
    cache = Cache(tmp_path / "cache")
    views = Views(Readings(web, cache, "plain"), topic)
    cache.close()
    with pytest.raises(StoreError, match="no cache can be kept there"):
        views.see(POST)
