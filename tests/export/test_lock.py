"""A corpus that is made again from its lock: the same bytes from the database, from older texts, from archives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from sqlalchemy import text

from crawler.database.database import Database
from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.store.compression import Codec
from tests.commands.conftest import Run, fill, run as run
from tests.commands.test_export_command import FERRY, archived
from tests.crawls import Crawl
from zhuti.export.command import Command

A, B, C = (f"https://{name}.example/1" for name in "abc")
TEXTS = {A: FERRY * 3, B: f"又一个渡口。{FERRY * 4}", C: f"第三个渡口，电话 13800138000。{FERRY * 5}"}


def markup(body: str) -> str:
    return f"<html><head><title>渡口</title></head><body><h1>渡口</h1><p>{body}</p></body></html>"


@pytest.fixture
def harvest(tmp_path: Path) -> Path:
    """Three pages, whose texts are those that their archive gives."""
    best = extractor("best")
    sources = {url: markup(body) for url, body in TEXTS.items()}
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    places = archived(tmp_path / "warc", sources)
    fill(crawl, {url: ("渡口", best(Page(source, url)).body) for url, source in sources.items()}, places)
    crawl.database.close()
    return tmp_path


WAYS = {  # what is written, by further options; all with the archive
    "c.jsonl": (),
    "c.jsonl.zst": ("--fields", "url,body,keywords,consent"),
    "c.csv": ("--bom", "--with", "trace", "--personal", "mask"),
    "c.parquet": ("--format", "markdown", "--with", "links"),
    "texts/": ("--chunks", "20", "--host", "b.example", "--host", "c.example"),
    "d.jsonl": ("--min-similarity", "0.1", "--since", "2000-01-02", "--no-duplicates"),
}
AWAY = ("-s", "STORE_URL=sqlite:////nowhere/harvest.db")


@pytest.mark.parametrize("name", WAYS)
def test_the_same_bytes(harvest: Path, run: Run, name: str) -> None:
    """From the database, and from the archive alone: the corpus and its card."""
    first, lock, archive = harvest / "first", harvest / "c.lock", ("-s", f"WARC_DIR={harvest}/warc")
    first.mkdir()
    done = run(Command(), "spiders", f"{first}/{name}", "--lock", str(lock), *WAYS[name], *archive)
    assert (done.status, done.err) == (0, "")
    assert "渡口重新开放" not in lock.read_text("utf-8"), "no text stands in it"
    for number, where in enumerate((archive, (*archive, *AWAY))):
        folder = harvest / f"again{number}"
        folder.mkdir()
        done = run(Command(), f"{folder}/{name}", "--from", str(lock), *where)
        assert (done.status, done.err) == (0, ""), done
        assert done.out.endswith(f"{folder}/{name.rstrip('/')} has the same bytes as the corpus of the lock\n")
        files = {path.relative_to(first): path.read_bytes() for path in first.rglob("*") if path.is_file()}
        assert files == {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_gone_or_differs(harvest: Path, run: Run) -> None:
    corpus, lock, archive = harvest / "c.jsonl", harvest / "c.lock", ("-s", f"WARC_DIR={harvest}/warc")
    assert run(Command(), "spiders", str(corpus), "--lock", str(lock)).status == 0
    then = corpus.read_bytes()
    codec = Codec()
    with Database(f"sqlite:///{harvest}/harvest.db") as database, database.transaction() as connection:
        for sql in (
            "INSERT INTO versions (page_id, title, body, digest, fetched_at, until)"
            f" SELECT id, title, body, digest, 1, 2 FROM pages WHERE url = '{A}'",
            f"UPDATE pages SET body = :other WHERE url IN ('{A}', '{B}')",
            f"UPDATE pages SET url = '{C}/new', moved_from = '{C}', title = 'x' WHERE url = '{C}'",
        ):
            connection.execute(text(sql), {"other": codec.pack_text("另一个正文")} if ":other" in sql else {})

    def again(*more: str) -> tuple[int, list[str]]:
        done = run(
            Command(),
            f"{harvest}/d.jsonl",
            "--from",
            str(lock),
            "--overwrite",
            "--rejected",
            f"{harvest}/r.jsonl",
            *more,
        )
        assert not done.err, done.err
        return done.status, done.out.splitlines()

    status, told = again()
    assert (status, told[0]) == (1, f"{B}: its text has changed, and no older one is stored")
    assert told[-1] == f"2 of 3 pages could be made again (66.7%); {harvest}/d.jsonl differs"
    (line,) = map(json.loads, (harvest / "r.jsonl").read_text("utf-8").splitlines())
    assert (line["url"], line["stage"]) == (B, "lock")
    assert again(*archive)[0] == 0, "the archive has it"
    assert (harvest / "d.jsonl").read_bytes() == then
    kept = run(Command(), "--from", str(lock))
    assert (kept.status, corpus.read_bytes()) == (2, then)
    assert "1 pages cannot be had, so" in kept.err
    with Database(f"sqlite:///{harvest}/harvest.db") as database, database.transaction() as connection:
        connection.execute(text(f"DELETE FROM judgements WHERE page_id = (SELECT id FROM pages WHERE url = '{A}')"))
        for sql in ("DELETE FROM versions", f"DELETE FROM pages WHERE url = '{A}'"):
            connection.execute(text(sql))
        no = 'forbidden-to-keep {"forbids":"noai"}'
        connection.execute(text("UPDATE judgements SET outcome = 'off-topic', reason = :no"), {"no": no})
    status, told = again(*archive)
    assert [line.partition(": ")[2] for line in told[:2]] == ["its publisher forbids keeping it (noai)"] * 2
    assert told[-1].startswith("1 of 3 pages could be made again"), "the archive has what is no longer in the database"
    (harvest / "other").mkdir()  # a lock leads nowhere outside of WARC_DIR
    lock.write_text(lock.read_text("utf-8").replace('"warc": ["', '"warc": ["../warc/'), "utf-8")
    assert again("-s", f"WARC_DIR={harvest}/other")[1][0] == f"{A}: it is no longer stored"
    shutil.rmtree(harvest / "warc")
    assert again()[1][0] == f"{A}: it is no longer stored"


def test_what_has_no_lock(harvest: Path, run: Run) -> None:
    lock = harvest / "c.lock"
    for more in (("x/", "--partition", "host"), ("x.jsonl", "--since-run", "1")):
        done = run(Command(), "spiders", f"{harvest}/{more[0]}", *more[1:], "--lock", str(lock))
        assert done.status == 2 and "cannot have a lock" in done.err, more
    for content in ("{", "{}\n", '{"options": {}, "topic": "spiders"}\n'):
        lock.write_text(content)
        done = run(Command(), f"{harvest}/d.jsonl", "--from", str(lock))
        assert done.status == 2 and "is not a lock" in done.err, content
    assert "is not a lock" in run(Command(), "spiders", f"{harvest}/x.jsonl", "--lock", str(lock)).err
