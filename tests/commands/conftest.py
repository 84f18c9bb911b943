"""A small harvest where the `scrapy` fixture's commands look for it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from crawler.frontier.new_urls import NewUrl
from crawler.records import Outcome, Visit, WarcPlace
from crawler.tell.command import CrawlerCommand
from tests.crawls import Crawl, analysis

BODIES = {
    "https://a.example/1": ("爬虫入门", "主题爬虫只采集与主题有关的网页，因此节省带宽。"),
    "https://www.a.example/2": ("搜索引擎", "倒排索引记录每个词出现在哪些网页。"),
    "https://b.example/3": ("机器学习", "分类器判断网页是否与主题相关。"),
}


def fill(
    crawl: Crawl, bodies: dict[str, tuple[str, str]], places: Mapping[str, WarcPlace] = {}, depth: int = 0
) -> None:
    crawl.frontier.add([NewUrl(url, 1.0, depth, 0) for url in bodies], 0)
    visits = []
    for claim in crawl.claim():
        title, body = bodies[claim.url]
        links = {"https://a.example/1": 0.5, "https://b.example/new": 0.2}
        links.pop(claim.url, None)  # a page's links to itself are not outlinks
        judged = analysis(body, links, title=title)
        extraction = replace(judged.extraction, published=None)
        judged = replace(judged, extraction=extraction)
        visits.append(Visit(claim, Outcome.KEPT, 1.7e9, 200, size=1000, analysis=judged, place=places.get(claim.url)))
    crawl.store.commit(visits)


@pytest.fixture
def harvest(tmp_path: Path) -> Path:
    """The database's file."""
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, BODIES)
    crawl.database.close()
    return tmp_path / "harvest.db"


@dataclass(frozen=True, slots=True)
class Done:
    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command run in this process, as `scrapy` would: starting Python anew for each case takes seconds."""

    def work(command: CrawlerCommand, *arguments: str) -> Done:
        store = {"STORE_URL": f"sqlite:///{tmp_path / 'harvest.db'}"}
        command.settings = Settings({"TOPICS_DIR": str(tmp_path), **store}, priority="cmdline")
        command.settings.setmodule("crawler.settings")
        parser = argparse.ArgumentParser(conflict_handler="resolve")
        command.add_options(parser)
        command.exitcode = 0
        try:
            options, names = parser.parse_known_args(arguments)
            command.process_options(names, options)
            command.run(names, options)
        except UsageError as error:
            return Done(2, "", str(error))
        except SystemExit:
            return Done(2, "", capsys.readouterr().err)
        told = capsys.readouterr()
        return Done(command.exitcode, told.out, told.err)

    return work
