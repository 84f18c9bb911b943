"""Lakes: what an export writes, that the next one writes what is new, what is left of one that was stopped; SQL over
both; pages that repeat others."""

from __future__ import annotations

import json
import resource
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import fsspec
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from sqlalchemy import text

from crawler.database.database import Database
from crawler.errors import LakeError, StoreError
from crawler.reader.text.minhash import signature
from crawler.records import Outcome, similarity_of
from crawler.store.duplicates import digest
from zhuti.corpus import export as exporting
from zhuti.corpus.columns import harvest_schema
from zhuti.corpus.duplicates import duplicates
from zhuti.corpus.export import export_lake
from zhuti.corpus.folder import Lake
from zhuti.corpus.sql import asked
from zhuti.upkeep.forget import Order, forget

A, B, C, D = (f"https://{name}.example/" for name in "abcd")
TEXT = "".join(
    f"第{place}步，把水烧到{place + 60}度，静置{place * 7}秒，再分到{place + 2}只杯里。" for place in range(30)
)


@pytest.fixture
def harvested(crawl, kept, off_topic):
    """Two kept pages, the second found on the first; C waits."""
    crawl.frontier.seed([A], now=0)
    (first,) = crawl.claim()
    judged = kept(first, TEXT, {B: 0.5, C: 0.4, D: 0.3}, at=1.7e9)
    crawl.store.commit([replace(judged, analysis=replace(judged.analysis, signature=signature(TEXT)))])
    second, third, fourth = crawl.claim(now=1.0)
    crawl.store.commit([kept(second, "第二页", at=1.7e9 + 86400), off_topic(fourth)])
    crawl.waiting, crawl.visit = third, kept
    return crawl


def rows_of(place: str) -> list[dict[str, object]]:
    """Of the whole files, by topic and fetch."""
    lake = Lake(place)
    found = []
    for path in lake.tables()[0]:
        with fsspec.open(path, "rb") as file:
            found += pyarrow.parquet.read_table(pyarrow.BufferReader(file.read())).to_pylist()
    return sorted(found, key=lambda row: row["fetch"])


@pytest.mark.parametrize("memory", [False, True])
def test_each_export_writes_what_is_new(harvested, kept, tmp_path: Path, memory: bool) -> None:
    place = f"memory://{tmp_path.name}/lake" if memory else str(tmp_path / "lake")
    assert export_lake(harvested.database, "t", place, ("host", "day")).pages == 2
    first, second = rows_of(place)
    assert {
        name: first[name] for name in ("url", "title", "body", "similarity", "depth", "parent", "host", "topic")
    } == {
        "url": A,
        "title": "题目",
        "body": TEXT,
        "similarity": similarity_of(0.5),
        "depth": 0,
        "parent": None,
        "host": "a.example",
        "topic": "t",
    }
    assert (first["signature"], first["digest"]) == (signature(TEXT), digest(TEXT))
    assert (second["url"], second["parent"], second["depth"], second["score"]) == (B, A, 1, 0.5)
    assert export_lake(harvested.database, "t", place, ("host", "day")).pages == 0
    harvested.store.commit([kept(harvested.waiting, "第三页", at=1.7e9)])
    assert export_lake(harvested.database, "t", place, ("host", "day")).pages == 1
    assert [row["url"] for row in rows_of(place)] == [A, B, C]
    folders = [path.split("/lake/")[1].rpartition("/")[0] for path in Lake(place).tables()[0]]
    assert folders == [
        "of_host=a.example/day=2023-11-14",
        "of_host=b.example/day=2023-11-15",
        "of_host=c.example/day=2023-11-14",
    ]


def test_a_changed_page_comes_again(harvested, kept, tmp_path: Path) -> None:
    place = str(tmp_path / "lake")
    export_lake(harvested.database, "t", place, ("day",))
    harvested.frontier.revisits.plan({1: 1.0})
    (claim,) = [claim for claim in harvested.claim(now=9e9) if claim.url == A]
    assert harvested.store.commit([kept(claim, "另一个正文" * 20, at=1.8e9)]) == [Outcome.CHANGED]
    assert export_lake(harvested.database, "t", place, ("day",)).pages == 1
    last = rows_of(place)[-1]
    assert (last["url"], last["body"]) == (A, "另一个正文" * 20)


def test_an_export_that_is_stopped(harvested, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = str(tmp_path / "lake")
    monkeypatch.setattr(exporting, "GROUP_ROWS", 1)
    with monkeypatch.context() as patched:
        stopped(patched, "write", 1)
        with pytest.raises(KeyboardInterrupt):
            export_lake(harvested.database, "t", place, ("day",))
    part = tmp_path / "lake" / "day=2023-11-15" / "t-000000000009.parquet.part"
    cut = tmp_path / "lake" / "day=2023-11-14" / "t-000000000008.parquet"
    part.parent.mkdir()
    for path in (part, cut):
        path.write_bytes(b"PAR1 half of it")
    assert [row["url"] for row in rows_of(place)] == [A]
    result = export_lake(harvested.database, "t", place, ("day",))
    assert (result.pages, result.removed) == (1, (str(cut), str(part)))
    assert [row["url"] for row in rows_of(place)] == [A, B]


def stopped(patched: pytest.MonkeyPatch, method: str, times: int) -> None:
    """A lake whose export is stopped at this method, the given time that it comes to it, from 0."""
    calls, real = iter(range(99)), getattr(Lake, method)

    def stop(self, *arguments: object) -> object:
        if next(calls) == times:
            raise KeyboardInterrupt
        return real(self, *arguments)

    patched.setattr(Lake, method, stop)


def test_what_leaves_the_harvest_leaves_the_lake(harvested, kept, tmp_path: Path) -> None:
    place = str(tmp_path / "lake")
    export_lake(harvested.database, "t", place, ("day",))
    harvested.store.commit([kept(harvested.waiting, "第三页", at=1.7e9)])
    export_lake(harvested.database, "t", place, ("day",))
    forget(harvested.database, Order("a.example"))
    result = export_lake(harvested.database, "t", place, ("day",))
    assert (result.pages, result.gone) == (0, 1)
    assert [row["url"] for row in rows_of(place)] == [B, C]
    assert export_lake(harvested.database, "t", place, ("day",)).gone == 0


def test_a_full_disk(harvested, tmp_path: Path) -> None:
    place = str(tmp_path / "lake")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # bytes of a file
    try:
        with pytest.raises(LakeError, match="the disk"):
            export_lake(harvested.database, "t", place, ("day",))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    result = export_lake(harvested.database, "t", place, ("day",))
    assert result.pages == 2
    assert [Path(path).suffix for path in result.removed] == [".part"]
    assert [row["url"] for row in rows_of(place)] == [A, B]


def test_a_lake_of_another_version(harvested, tmp_path: Path) -> None:
    """It knows other columns, and notes more."""
    place = tmp_path / "lake"
    export_lake(harvested.database, "t", str(place), ("kind",))
    (path,) = place.rglob("*.parquet")
    table = pyarrow.parquet.ParquetFile(path).read()
    pyarrow.parquet.write_table(table.drop_columns(["label"]).append_column("colour", [["red", "blue"]]), path)
    note = place / "_zhuti" / "t.json"
    note.write_text(json.dumps(json.loads(note.read_text()) | {"since": 2, "graded": ""}))
    forget(harvested.database, Order("a.example"))
    assert export_lake(harvested.database, "t", str(place), ("kind",)).gone == 1
    assert ask("select url, colour from lake", harvested.url, str(place)) == [("url", "colour"), (B, "blue")]
    harvested.store.commit([harvested.visit(harvested.waiting)])
    assert export_lake(harvested.database, "t", str(place), ("kind",)).pages == 1
    found = ask("select url, label, colour from lake order by url", harvested.url, str(place))
    assert found[1:] == [(B, None, "blue"), (C, None, None)]


def test_a_page_that_is_back_takes_no_other_file(harvested, tmp_path: Path) -> None:
    place = str(tmp_path / "lake")
    for outcome in ("kept", "off-topic", "kept"):
        with harvested.database.transaction() as connection:
            judged = "UPDATE judgements SET outcome = :outcome WHERE page_id = (SELECT id FROM pages WHERE url = :url)"
            connection.execute(text(judged), {"outcome": outcome, "url": B})
        export_lake(harvested.database, "t", place, ("kind",))
    assert [row["url"] for row in rows_of(place)] == [A, B]


ACTIONS = ["fetch", "fetch", "leave", "come back", "change", "forget", "export", "stop at write", "stop at keep"]


@example([("fetch", 0), ("export", 0), ("change", 0)])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 5)), max_size=25))
def test_a_lake_equals_a_fresh_one(open_crawl, kept, off_topic, tmp_path: Path, actions: list[tuple[str, int]]) -> None:
    """Whatever happened to the harvest, and to exports before."""
    name = uuid4().hex
    crawl = open_crawl("sqlite://")
    judged = "UPDATE judgements SET outcome = '{}' WHERE page_id IN (SELECT id FROM pages WHERE url LIKE '%/{}')"
    try:
        for now, (action, number) in enumerate([*actions, ("export", 0)], start=1):
            url = f"https://h{number % 3}.example/{number}"
            if action in ("fetch", "change"):
                crawl.frontier.seed([url], now=now)
                if action == "change":
                    crawl.frontier.revisits.plan(dict.fromkeys(ids_of(crawl, url), 1.0))
                for claim in crawl.claim(now=now * 1e6):
                    visit = off_topic if number == 5 else kept
                    crawl.store.commit([visit(claim, *([] if number == 5 else [f"正文{now}"]), at=now * 7919e3 % 1e6)])
            elif action == "forget":
                with suppress(StoreError):  # nothing was fetched of that host yet
                    forget(crawl.database, Order(f"h{number % 3}.example"))
            elif action in ("leave", "come back"):  # as answers make them
                with crawl.database.transaction() as connection:
                    connection.execute(text(judged.format("off-topic" if action == "leave" else "kept", number)))
            elif action == "export":
                export_lake(crawl.database, "t", f"memory://{name}/lake", ("host", "day"))
            else:
                with pytest.MonkeyPatch.context() as patched, suppress(KeyboardInterrupt):
                    patched.setattr(exporting, "GROUP_ROWS", 1 + number)
                    stopped(patched, action.rpartition(" ")[2], number)
                    export_lake(crawl.database, "t", f"memory://{name}/lake", ("host", "day"))
        export_lake(crawl.database, "t", f"memory://{name}/fresh", ("host", "day"))
        assert contents(f"memory://{name}/lake") == contents(f"memory://{name}/fresh")
    finally:
        crawl.database.close()


def ids_of(crawl, url: str) -> list[int]:
    with crawl.database.transaction() as connection:
        return list(connection.execute(text("SELECT id FROM urls WHERE url = :url"), {"url": url}).scalars())


def contents(place: str) -> list[dict[str, object]]:
    with suppress(LakeError):  # it holds no file
        return [{**row, "score": None} for row in rows_of(place)]  # the last when the row was written
    return []


def test_whose_lake_it_is(harvested, tmp_path: Path, open_crawl, kept) -> None:
    place = str(tmp_path / "lake")
    export_lake(harvested.database, "t", place, ("day",))
    with pytest.raises(LakeError, match="--partition day"):
        export_lake(harvested.database, "t", place, ("host",))
    other = open_crawl(f"sqlite:///{tmp_path / 'other.db'}")
    other.frontier.seed([A], now=0)
    other.store.commit([kept(other.claim()[0], "正文", at=5.0)])
    with pytest.raises(LakeError, match="another harvest"):
        export_lake(other.database, "t", place, ("day",))
    other.database.close()


@pytest.mark.parametrize(
    ("note", "columns", "words"),
    [
        ("[" * 100_000, {"fetch": [1]}, "is not a note of an export"),
        ('{"first_at": 9e999, "partition": ["../.."]}', {"fetch": [1]}, "of another harvest"),
        ('{"first_at": 0, "partition": ["day"]}', {"fetch": ["1"]}, "was not written by an export"),
        ('{"first_at": 0, "partition": ["day"]}', {"fetch": [None, 1]}, "was not written by an export"),
        ('{"first_at": 0, "partition": ["day"]}', {"url": ["u"]}, "was not written by an export"),
        (None, {"fetch": [1]}, "no note of an export"),
    ],
)
def test_a_lake_of_a_stranger(harvested, tmp_path: Path, note: str | None, columns, words: str) -> None:
    place = tmp_path / "lake"
    (place / "_zhuti").mkdir(parents=True)
    if note is not None:
        (place / "_zhuti" / "t.json").write_text(note)
    file = place / "t-000000000001.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    with pytest.raises(LakeError, match=words):
        export_lake(harvested.database, "t", str(place), ("day",))
    assert file.exists()


@pytest.mark.parametrize(
    ("place", "topic", "partition", "words"),
    [
        ("lake", "t", ("colour",), "choose from host, day"),
        ("lake", "t", (" ",), "choose from host, day"),
        ("lake", "none", ("day",), "this database has t"),
        ("nowhere://lake", "t", ("day",), "nowhere"),
        ("file.txt/lake", "t", ("day",), "cannot be read or written"),
    ],
)
def test_mistakes(harvested, tmp_path: Path, place: str, topic: str, partition: tuple[str, ...], words: str) -> None:
    (tmp_path / "file.txt").write_text("no folder")
    with pytest.raises(LakeError, match=words):
        export_lake(harvested.database, topic, place if "://" in place else str(tmp_path / place), partition)


def ask(query: str, url: str, *lakes: str) -> list[tuple[object, ...]]:
    told: list[str] = []
    with asked(query, lambda: Database(url, readonly=True), lakes, told.append) as answer:
        return [answer.columns, *answer.rows, *([tuple(told)] if told else [])]


QUERIES = [
    ("select url, depth from pages order by url", [("url", "depth"), (A, 0), (B, 1)]),
    ("select topic, length(body) as n from texts order by n", [("topic", "n"), ("t", 3), ("t", len(TEXT))]),
    (
        "select outcome, count(*) as n from fetches group by outcome order by n desc",
        [("outcome", "n"), ("kept", 2), ("off-topic", 1)],
    ),
    ("with x as (select 1 as one) select one from x", [("one",), (1,)]),
    ("select l.url from lake l join hosts h on h.name = l.host where h.name = 'b.example'", [("url",), (B,)]),
    ("select count(*) as n from Urls where state is not null", [("n",), (4,)]),
]


@pytest.mark.parametrize(("query", "answer"), QUERIES)
def test_sql(harvested, database_url: str, tmp_path: Path, query: str, answer: list[tuple[object, ...]]) -> None:
    place = str(tmp_path / "lake")
    export_lake(harvested.database, "t", place, ("day",))
    assert ask(query, database_url, place) == answer


@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        ("selec 1", LakeError, "syntax error"),
        ("select colour from pages", LakeError, "colour"),
        ("select * from nothing_such", LakeError, "nothing_such"),
        ("select 1; select 2", LakeError, "give one SQL statement"),
        ("", LakeError, "give one SQL statement"),
        ("select * from lake", LakeError, "--lake FOLDER"),
        ("select * from pages", StoreError, "none.db"),
    ],
)
def test_mistakes_in_sql(harvested, tmp_path: Path, query: str, error: type[Exception], words: str) -> None:
    url = f"sqlite:///{tmp_path / 'none.db'}" if error is StoreError else harvested.url
    with pytest.raises(error, match=words):
        ask(query, url)


def test_a_half_written_file_is_told(harvested, tmp_path: Path) -> None:
    place = tmp_path / "lake"
    export_lake(harvested.database, "t", str(place), ("day",))
    for name, content in (("half.parquet", b"PAR1 half of it"), ("empty.parquet", b"")):
        (place / name).write_bytes(content)
    (told,) = ask("select count(*) from lake", harvested.url, str(place))[2:]
    assert "2 files" in str(told)
    with pytest.raises(LakeError, match="holds no Parquet file"):
        ask("select * from lake", harvested.url, str(tmp_path / "nothing"))


def lake_of(place: Path, pages: list[tuple[str, float, str]]) -> str:
    """Of (address, time, body)."""
    place.mkdir()
    rows = [
        {"url": url, "fetched_at": at, "body": body, "signature": signature(body), "digest": digest(body)}
        for url, at, body in pages
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, harvest_schema()), place / "1.parquet")
    return str(place)


def test_duplicates(tmp_path: Path) -> None:
    other = TEXT.replace("水", "茶")
    pages = [
        (B, 3.0, TEXT),
        (A, 1.0, other),
        (C, 4.0, " " + TEXT.replace("，", "， ")),
        (D, 5.0, "短。"),
        (f"{D}2", 6.0, "短 。"),
        (f"{D}3", 0.5, "别的。" * 30),
        (A, 0.1, "第一版"),
    ]
    lake = lake_of(tmp_path / "lake", pages)
    out = tmp_path / "found.parquet"
    assert duplicates(lake, out) == 3
    found = {row["url"]: row for row in pyarrow.parquet.read_table(out).to_pylist()}
    assert {url: row["repeats"] for url, row in found.items()} == {B: A, C: A, f"{D}2": D}
    assert found[B]["reason"] == "is nearly the same as a kept page"
    assert 0.5 <= found[B]["resemblance"] < 1
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("lake", "found.parquet")] == []
    assert duplicates(lake_of(tmp_path / "small", [(A, 1.0, "一")]), out) == 0
    assert pyarrow.parquet.read_table(out).num_rows == 0


def test_duplicates_of_what_is_no_lake(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"url": [A]}), tmp_path / "1.parquet")
    with pytest.raises(LakeError, match=r"signature|digest"):
        duplicates(str(tmp_path), tmp_path / "out")
    (tmp_path / "2.parquet").write_bytes(b"")
    with pytest.warns(UserWarning, match="incomplete"), pytest.raises(LakeError):
        duplicates(str(tmp_path), tmp_path / "out")
    with pytest.raises(LakeError, match="cannot be read or written"):
        duplicates(str(tmp_path), tmp_path / "no" / "out")
