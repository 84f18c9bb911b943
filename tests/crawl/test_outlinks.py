"""The step that changes links: moved sites, index files, nofollow."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from crawler.crawl.open_store import OpenStore
from crawler.crawl.pool import Pool
from crawler.crawl.session import Session
from crawler.pipelines import OutlinksPipeline
from crawler.records import Analysis, Claim, Judgement, Link, Outcome, Outlink, Visit
from crawler.scorers.registry import scorer
from crawler.topic.files import Topic

OLD, NEW = "http://a.example", "https://a.example"
MOVED = [(f"{OLD}/{number}", f"{NEW}/{number}") for number in range(2)]
FEED = Link(f"{NEW}/rss.xml", index_kind="feed", rel="declared")
ALSO_FEED = Link(f"{OLD}/atom.xml", index_kind="feed", rel="declared")


def visit(url: str, *links: Link, kind: str = "", forbids: frozenset[str] = frozenset()) -> Visit:
    found = Analysis(judgement=Judgement(0.9, True), outlinks=tuple(map(Outlink, links)), forbids=forbids)
    outcome = Outcome.INDEX_FILE if kind else Outcome.KEPT
    return Visit(Claim(1, url, 1.0, index_kind=kind), outcome, 0.0, analysis=found)


def redirect(url: str, target: str) -> Visit:
    return Visit(Claim(1, url, 1.0), Outcome.REDIRECT, 0.0, target=target)


@pytest.mark.parametrize(
    ("before", "page", "expected"),
    [
        ([], visit(f"{NEW}/p", Link(f"{OLD}/x")), [f"{OLD}/x"]),
        ([redirect(*pair) for pair in MOVED], visit(f"{NEW}/p", Link(f"{OLD}/x")), [f"{NEW}/x"]),
        ([redirect(*pair) for pair in MOVED], visit(f"{OLD}/p", Link(f"{OLD}/x")), [f"{OLD}/x"]),  # it gave a page
        ([], visit(f"{NEW}/p", Link(f"{NEW}/x"), FEED), [f"{NEW}/x", FEED.url]),
        ([], visit(f"{NEW}/p", Link(f"{NEW}/x"), FEED, forbids=frozenset({"nofollow"})), []),
        ([], visit(f"{NEW}/p", Link(f"{NEW}/x"), forbids=frozenset({"noai"})), [f"{NEW}/x"]),
        ([redirect(*pair) for pair in MOVED], visit(f"{NEW}/all.xml", ALSO_FEED, kind="sitemap"), [f"{NEW}/atom.xml"]),
    ],
)
def test_links(tmp_path: Path, before: list[Visit], page: Visit, expected: list[str]) -> None:
    store = OpenStore(f"sqlite:///{tmp_path / 'harvest.db'}", "t", scorer("bfs"))
    step = OutlinksPipeline(
        Session(Topic("t", tmp_path / "t.toml"), (), store, Pool("plain", processes=1, timeout=1.0))
    )

    async def after(*visits: Visit) -> list[Visit]:
        return [await step.process_item(item) for item in visits]

    *_, changed = asyncio.run(after(*before, page))
    assert changed.analysis is not None
    assert [outlink.link.url for outlink in changed.analysis.outlinks] == expected
