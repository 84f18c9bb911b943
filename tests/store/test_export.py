import json
from pathlib import Path

import pytest

from crawler.errors import ExportError, StoreError
from crawler.frontier.database import Database
from crawler.store.export import WRITERS, export

A, B, C = (f"https://{name}.example/" for name in "abc")


@pytest.fixture
def harvested(crawl, kept, off_topic):
    crawl.frontier.seed([A, B, C], now=0)
    first, second, third = crawl.claim()
    crawl.harvest.commit([off_topic(second), kept(third, "第三\n页", at=1.8e9), kept(first, "第一页", at=1.7e9)])
    return crawl


def test_jsonl(harvested, tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    assert export(harvested.database, "t", path) == 2
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert lines[0] == {
        "url": A,
        "title": "题目",
        "body": "第一页",
        "published": "2026-01-02",
        "similarity": 0.5,
        "fetched_at": "2023-11-14T22:13:20+00:00",
        "language": "zh",
    }
    assert [line["url"] for line in lines] == [A, C]
    assert "第三\\n页" in path.read_text("utf-8")
    assert {item.name for item in tmp_path.iterdir()} >= {"corpus.jsonl"}
    assert not [item for item in tmp_path.iterdir() if item.name.endswith(".part")]


def test_the_same_database_gives_the_same_file(harvested, tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    export(harvested.database, "t", one)
    harvested.reopen()
    export(harvested.database, "t", other)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(("least", "count"), [(0.0, 2), (0.5, 2), (0.51, 0)])
def test_min_similarity(harvested, tmp_path: Path, least: float, count: int) -> None:
    assert export(harvested.database, "t", tmp_path / "c.jsonl", min_similarity=least) == count
    assert len((tmp_path / "c.jsonl").read_text().splitlines()) == count


def test_beside_a_running_crawl(harvested, tmp_path: Path) -> None:
    with Database(harvested.url, readonly=True) as reader:
        assert export(reader, "t", tmp_path / "c.jsonl") == 2


@pytest.mark.parametrize(
    ("topic", "name", "words"),
    [
        ("t", "corpus.doc", ".jsonl"),
        ("t", "corpus", ".jsonl"),
        ("unknown", "corpus.jsonl", "topics of this database are t"),
        ("t", "missing/corpus.jsonl", "No such file or directory"),
        ("t", "folder.jsonl", "folder"),
    ],
)
def test_mistakes(harvested, tmp_path: Path, topic: str, name: str, words: str) -> None:
    folder = tmp_path / "out"
    (folder / "folder.jsonl").mkdir(parents=True)
    with pytest.raises(ExportError, match=words.replace(".", r"\.")):
        export(harvested.database, topic, folder / name)
    assert [item.name for item in folder.iterdir()] == ["folder.jsonl"]


def test_an_old_file_stays_when_the_export_fails(harvested, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text("old")

    def stopped(documents, partial: Path) -> int:
        partial.write_text(next(iter(documents)).url)
        raise KeyboardInterrupt

    monkeypatch.setitem(WRITERS, ".jsonl", stopped)
    with pytest.raises(KeyboardInterrupt):
        export(harvested.database, "t", path)
    assert path.read_text() == "old"
    assert not list(tmp_path.glob(".*.part"))


def test_damaged_database(harvested, tmp_path: Path) -> None:
    harvested.database.close()
    with pytest.raises(StoreError, match="closed"):
        export(harvested.database, "t", tmp_path / "c.jsonl")
