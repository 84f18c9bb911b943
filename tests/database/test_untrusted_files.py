"""Harvests that somebody else made, or changed: refused in one sentence."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from crawler.crawl.database_thread import DatabaseThread
from crawler.errors import StoreError
from crawler.reader.text.zstd import zstd
from crawler.store import compression
from tests.commands.conftest import Run, fill, harvest, run  # noqa: F401  # fixtures
from zhuti.export.command import Command as Export
from zhuti.news.command import Command as News
from zhuti.search.command import Command as Search
from zhuti.topics.list_command import Command as Topics
from zhuti.why.command import Command as Why

A = "https://a.example/1"
COMMANDS = {
    "export": lambda folder: (Export(), "spiders", str(folder / "corpus.jsonl")),
    "why": lambda folder: (Why(), A),
    "topics": lambda folder: (Topics(),),
    "search": lambda folder: (Search(), "爬虫"),
}
CHANGES = {
    "a number for a title": "UPDATE pages SET title = 5, language = 7",
    "a text for a body": "UPDATE pages SET body = 'text'",
    "a text for a time": "UPDATE fetches SET at = 'yesterday'; UPDATE pages SET fetched_at = 'yesterday'",
    "a text for a status": "UPDATE judgements SET nearness = 'near'",
    "a kind that is none": "UPDATE pages SET kind = 'x'",
    "an outcome that is none": "UPDATE fetches SET outcome = 'x'; UPDATE judgements SET outcome = 'x'",
    "a state that is none": "UPDATE urls SET state = -7",
    "a time without end": "UPDATE pages SET fetched_at = 9e999; UPDATE fetches SET at = 1e308",
    "a view": "CREATE VIEW v AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON pages BEGIN DELETE FROM pages; END",
}


def change(path: Path, script: str) -> None:
    with sqlite3.connect(path) as database:
        database.executescript(script)
    database.close()


@pytest.mark.parametrize("case", CHANGES)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_sentence_or_an_answer(name: str, case: str, harvest: Path, run: Run, tmp_path: Path) -> None:  # noqa: F811
    change(harvest, CHANGES[case])
    done = run(*COMMANDS[name](tmp_path))
    assert done.status in (0, 1, 2), "no traceback"
    if case.startswith("a view") or case.startswith("a trigger"):
        assert (done.status, "never part of a harvest" in done.err) == (2, True)
    if name == "why" and "that is none" in case and "kind" not in case:
        assert "holds values of a wrong type" in done.err
    if name == "export" and "a kind" in case:
        assert "pages.kind holds values of a wrong type" in done.err
    if name == "export" and "body" in case:
        assert "pages.body holds values of a wrong type" in done.err


def test_a_value_that_unpacks_without_end(
    harvest: Path,  # noqa: F811
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compression, "MAX_VALUE", 1_000_000)
    with sqlite3.connect(harvest) as database:
        database.execute("UPDATE pages SET body = ?", [zstd.compress(b"x" * 2_000_000)])
    database.close()
    done = run(Export(), "spiders", str(tmp_path / "corpus.jsonl"))
    assert (done.status, "unpacks to more than" in done.err) == (2, True), done.err


def test_a_topic_s_name_does_not_control_the_terminal(harvest: Path, run: Run) -> None:  # noqa: F811
    change(harvest, "UPDATE topics SET name = 'spiders' || char(27) || ']0;x' || char(7)")
    assert "\x1b" not in run(Topics()).out
    done = run(News(), "none")
    assert "\x1b" not in done.out + done.err


def test_a_crawl_over_it_ends_with_a_sentence(harvest: Path) -> None:  # noqa: F811
    change(harvest, "UPDATE urls SET score = 'high'")
    thread = DatabaseThread(f"sqlite:///{harvest}", "spiders")
    thread._reconnector = SimpleNamespace(run=lambda job: job())  # type: ignore[assignment]

    def job() -> None:
        with thread.database.transaction(shared=True) as connection:
            float(connection.execute(text("SELECT score FROM urls")).scalars().all()[0])

    with pytest.raises(StoreError, match=r"urls\.score holds values of a wrong type"):
        asyncio.run(thread.run(job))
    thread.database.close()
