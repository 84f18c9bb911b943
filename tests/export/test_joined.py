"""`--with pages`: the pages of a thread as one record."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest

from crawler.document import Document
from crawler.reasons import NONE, Code, Reason
from crawler.records import Link, Outcome, Outlink, PageKind, Visit
from crawler.store.shared_store import store_for
from tests.commands.conftest import Run, run as run
from tests.crawls import Crawl, analysis
from zhuti.export import joined
from zhuti.export.command import Command
from zhuti.export.joined import Joined, Place

THREAD = "https://f.example/thread-7-{}-1.html"
ARTICLE = "https://n.example/2026/rain{}.html"
PAGES = {
    THREAD.format(3): "三楼说桥面结冰。",
    THREAD.format(1): "一楼问哪条路通。",
    ARTICLE.format(""): "雨下了一夜。",
    THREAD.format(2): "二楼说北路通。",
    ARTICLE.format("_2"): "天亮才停。",
    "https://b.example/post/2": "第二篇文章。",  # by a title, not by its number
    "https://b.example/post/1": "第一篇文章。",
    "https://c.example/day/5": "五号的文章目录。",  # of a list
    "https://c.example/day/1": "一号的文章目录。",
}
LINKS = {
    THREAD.format(1): {THREAD.format(2): "2", THREAD.format(3): "[3]"},
    ARTICLE.format(""): {ARTICLE.format("_2"): "第2页"},
    "https://b.example/post/1": {"https://b.example/post/2": "第二篇"},
    "https://c.example/day/1": {"https://c.example/day/5": "5"},
}


@pytest.fixture
def harvest(tmp_path: Path) -> None:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    crawl.frontier.seed(PAGES, now=0)
    visits = []
    for claim in crawl.claim():
        found = analysis(PAGES[claim.url], {}, title="标题")
        kind = PageKind.LIST if "/day/" in claim.url else PageKind.THREAD
        outlinks = tuple(Outlink(Link(url, text), 0.1) for url, text in LINKS.get(claim.url, {}).items())
        found = replace(found, extraction=replace(found.extraction, kind=kind), outlinks=outlinks)
        visits.append(Visit(claim, Outcome.KEPT, 1.7e9, 200, size=1000, analysis=found))
    crawl.store.commit(visits)
    crawl.database.close()


@pytest.mark.usefixtures("harvest")
def test_pages_that_belong_together_are_one_record(run: Run, tmp_path: Path) -> None:
    for ending in ("jsonl", "parquet", "csv"):
        done = run(Command(), "spiders", f"{tmp_path}/c.{ending}", "--fields", "url,body", "--with", "pages")
        assert (done.status, done.err) == (0, "")
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text("utf-8").splitlines()]
    thread = [THREAD.format(number) for number in (1, 2, 3)]
    article = [ARTICLE.format(""), ARTICLE.format("_2")]
    alone = [[url] for url in PAGES if url not in (*thread, *article)]
    assert sorted(line["pages"] for line in lines) == sorted([thread, article, *alone])
    bodies = {line["url"]: line["body"] for line in lines}
    assert bodies[thread[0]] == "一楼问哪条路通。\n\n二楼说北路通。\n\n三楼说桥面结冰。"
    assert bodies[article[0]] == "雨下了一夜。\n\n天亮才停。"
    assert "5 pages of threads and articles make 2 records" in (tmp_path / "c.jsonl.README.md").read_text("utf-8")
    assert pyarrow.parquet.read_table(tmp_path / "c.parquet").to_pylist() == lines
    run(Command(), "spiders", f"{tmp_path}/less.jsonl", "--fields", "url", "--with", "pages", "--host", "f.example")
    (line,) = map(json.loads, (tmp_path / "less.jsonl").read_text("utf-8").splitlines())
    assert line["pages"] == thread


def test_further_pages_that_were_dropped_by_themselves_stand_with_their_post(run: Run, tmp_path: Path) -> None:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    crawl.store = store_for(crawl.database)(crawl.database, crawl.frontier, crawl.scorer, further_pages=9)
    first, second, third = (THREAD.format(number) for number in (1, 2, 3))
    crawl.frontier.seed([first], now=0)
    unlike = Reason(Code.SIMILARITY, similarity=0.01, threshold=0.3)
    for links, outcome, nearness in (
        ({second: "2"}, Outcome.KEPT, 0.9),
        ({third: "3"}, Outcome.OFF_TOPIC, 0.1),
        ({}, Outcome.KEPT, 0.4),
    ):
        (claim,) = crawl.claim()
        found = analysis(PAGES[claim.url], {}, nearness, title="标题")
        outlinks = tuple(Outlink(Link(url, text), 0.1) for url, text in links.items())
        found = replace(found, extraction=replace(found.extraction, kind=PageKind.THREAD), outlinks=outlinks)
        reason = NONE if outcome is Outcome.KEPT else unlike
        crawl.store.commit([Visit(claim, outcome, 1.7e9, 200, size=1000, analysis=found, reason=reason)])
    crawl.database.close()

    def exported(*options: str) -> list[list[str]]:
        run(Command(), "spiders", f"{tmp_path}/c.jsonl", "--fields", "url", *options)
        lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text("utf-8").splitlines()]
        return [line.get("pages", [line["url"]]) for line in lines]

    assert exported("--with", "pages") == [[first, second, third]]
    assert exported("--with", "pages", "--min-similarity", "0.7") == [[first, second, third]], "one page is enough"
    assert exported("--with", "pages", "--min-length", "8") == [[first, third]]
    assert exported() == [[first], [third]]
    with closing(sqlite3.connect(tmp_path / "harvest.db")) as database, database:
        database.execute("UPDATE judgements SET reason = 'person' WHERE outcome = 'off-topic'")
    assert exported("--with", "pages") == [[first, third]], "a person said no"


def document(number: int, thread: str = "t") -> Document:
    return Document(f"{thread}{number}", "", str(number), None, 0.5, "2026-11-26T00:00:00+00:00", "zh")


@pytest.mark.parametrize(
    ("most_pages", "most_waiting", "numbers", "records"),
    [
        (50, 10, [3, 1, 2], [[1, 2, 3]]),
        (50, 10, [3, 2], [[2, 3]]),  # the first one is not among those that are chosen
        (2, 10, [4, 1, 3, 2, 5], [[3, 4], [1, 2], [5]]),  # bounded, and none is lost
        (50, 0, [1, 2], [[1], [2]]),  # no memory to wait
    ],
)
def test_none_is_lost(
    monkeypatch: pytest.MonkeyPatch,
    most_pages: int,
    most_waiting: int,
    numbers: list[int],
    records: list[list[int]],
) -> None:
    monkeypatch.setattr(joined, "MOST_PAGES", most_pages)
    monkeypatch.setattr(joined, "MOST_WAITING", most_waiting)
    stage = Joined({f"t{number}": Place("t1", number) for number in range(1, 6)})
    found = [[int(url[1:]) for url in each.more["pages"]] for each in stage(map(document, numbers))]
    assert found == records


def test_pages_that_were_dropped_are_no_record_by_themselves() -> None:
    places = {"t1": Place("t1", 1), "t2": Place("t1", 2, is_kept=False)}
    assert [each.url for each in Joined(places)([document(2), document(1, "u")])] == ["u1"]
    assert not [*Joined({"t1": Place("t1", 1), "t2": Place("t1", 2)}, least=0.6)([document(2)])], "similar too little"
