from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path

import pyarrow.parquet
import pytest
import yaml
import zstandard
from warcio.archiveiterator import ArchiveIterator

from crawler.database.database import Database
from crawler.document import DEFAULT_FIELDS, FIELDS
from crawler.errors import ExportError, StoreError
from crawler.reader.text.printable import harmless
from crawler.records import similarity_of
from zhuti.export.card import Tally, card
from zhuti.export.corpus import WRITERS, export
from zhuti.export.selection import Selection
from zhuti.whole_file import whole_folder

A, B, C = (f"https://{name}.example/" for name in "abc")
HEADER = list(DEFAULT_FIELDS)


@pytest.fixture
def harvested(crawl, kept, off_topic):
    crawl.frontier.seed([A, B, C], now=0)
    first, second, third = crawl.claim()
    visit = kept(first, "第一页", at=1.7e9)
    visit = replace(visit, analysis=replace(visit.analysis, licence="CC BY-SA 4.0", licence_scope="site"))
    crawl.store.commit([off_topic(second), kept(third, "第三\n页", at=1.8e9), visit])
    return crawl


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def lines_of(content: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in content.decode("utf-8").splitlines()]


def test_jsonl(harvested, out: Path) -> None:
    path = out / "corpus.jsonl"
    assert export(harvested.database, "t", path) == 2
    lines = lines_of(path.read_bytes())
    assert lines[0] == {
        "url": A,
        "title": "题目",
        "body": "第一页",
        "published": "2026-01-02",
        "similarity": similarity_of(0.5),
        "fetched_at": "2023-11-14T22:13:20+00:00",
        "language": "zh",
    }
    assert [line["url"] for line in lines] == [A, C]
    assert "第三\\n页" in path.read_text("utf-8")
    assert {item.name for item in out.iterdir()} == {"corpus.jsonl", "README.md"}


def read_csv(path: Path) -> list[dict[str, object]]:
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
    return [{**row, "similarity": float(row["similarity"])} for row in rows]


def read_parquet(path: Path) -> list[dict[str, object]]:
    """With its times as texts."""
    rows = pyarrow.parquet.read_table(path).to_pylist()
    times = ({"fetched_at": row["fetched_at"].isoformat(), "published": str(row["published"].date())} for row in rows)
    return [{**row, **time} for row, time in zip(rows, times, strict=True)]


READERS = {
    ".jsonl.gz": lambda path: lines_of(gzip.decompress(path.read_bytes())),
    ".jsonl.zst": lambda path: lines_of(zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())),
    ".parquet": read_parquet,
    ".csv": read_csv,
}


def test_times_in_parquet(harvested, out: Path) -> None:
    export(harvested.database, "t", out / "corpus.parquet")
    schema = pyarrow.parquet.read_schema(out / "corpus.parquet")
    assert str(schema.field("fetched_at").type) == "timestamp[ms, tz=UTC]"
    assert str(schema.field("published").type) == "timestamp[ms]"


def test_csv_for_excel(harvested, out: Path) -> None:
    export(harvested.database, "t", out / "plain.csv")
    export(harvested.database, "t", out / "excel.csv", bom=True)
    assert (out / "excel.csv").read_bytes() == b"\xef\xbb\xbf" + (out / "plain.csv").read_bytes()
    with pytest.raises(ExportError, match="--bom is for CSV"):
        export(harvested.database, "t", out / "corpus.jsonl", bom=True)


@pytest.mark.parametrize("ending", WRITERS)
def test_a_file_that_is_not_ours_stays(harvested, out: Path, ending: str) -> None:
    path = out / f"mine{ending}"
    path.write_text("mine")
    with pytest.raises(ExportError, match="add --overwrite"):
        export(harvested.database, "t", path)
    assert path.read_text() == "mine"
    assert export(harvested.database, "t", path, overwrite=True) == 2
    assert export(harvested.database, "t", path) == 2, "an export may be made again"


@pytest.mark.parametrize("ending", READERS)
def test_other_tools_read_the_same(harvested, out: Path, ending: str) -> None:
    export(harvested.database, "t", out / "plain.jsonl")
    assert export(harvested.database, "t", out / f"corpus{ending}") == 2
    assert READERS[ending](out / f"corpus{ending}") == lines_of((out / "plain.jsonl").read_bytes())


def test_warc(harvested, out: Path) -> None:
    path = out / "corpus.warc.gz"
    assert export(harvested.database, "t", path) == 2
    with path.open("rb") as file:
        records = [
            (record.rec_type, record.rec_headers, record.content_stream().read().decode("utf-8"))
            for record in ArchiveIterator(file, check_digests="raise")
        ]
    assert [kind for kind, _, _ in records] == ["conversion", "metadata"] * 2
    _, headers, text = records[0]
    assert (headers["WARC-Target-URI"], headers["WARC-Date"], text) == (A, "2023-11-14T22:13:20Z", "第一页")
    _, about, fields = records[1]
    assert about["WARC-Refers-To"] == headers["WARC-Record-ID"]
    assert f"similarity: {similarity_of(0.5)}\r\n" in fields
    assert "title: 题目\r\n" in fields


@pytest.mark.parametrize("name", ["texts/", "texts"])
def test_folder_of_texts(harvested, out: Path, name: str) -> None:
    for _ in range(2):  # the second time it replaces its own
        assert export(harvested.database, "t", f"{out}/{name}") == 2
    index = lines_of((out / "texts" / "index.jsonl").read_bytes())
    assert [line["url"] for line in index] == [A, C]
    assert (out / "texts" / str(index[1]["file"])).read_text("utf-8") == "题目\n\n第三\n页\n"
    assert [item.name for item in out.iterdir()] == ["texts"]
    assert head_of(out / "texts" / "README.md")["configs"][0]["data_files"] == "texts/**/*.txt"


def test_a_folder_that_is_not_ours_stays(harvested, out: Path) -> None:
    (out / "notes").mkdir()
    (out / "notes" / "mine.txt").write_text("mine")
    with pytest.raises(ExportError, match="new folder"):
        export(harvested.database, "t", f"{out}/notes/")
    assert (out / "notes" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("ending", [*WRITERS, "/"])
def test_the_same_database_gives_the_same_bytes(harvested, tmp_path: Path, ending: str) -> None:
    for side in ("one", "two"):
        (tmp_path / side).mkdir()
        export(harvested.database, "t", f"{tmp_path}/{side}/c{ending}")
        harvested.reopen()
    one, two = (
        {
            item.relative_to(tmp_path / side): item.read_bytes()
            for item in (tmp_path / side).rglob("*")
            if item.is_file()
        }
        for side in ("one", "two")
    )
    assert one == two


@pytest.mark.parametrize(("least", "count"), [(0.0, 2), (0.66, 2)])
@pytest.mark.parametrize("ending", WRITERS)
def test_min_similarity(harvested, out: Path, least: float, count: int, ending: str) -> None:
    assert export(harvested.database, "t", out / f"c{ending}", Selection(min_similarity=least)) == count
    assert (out / f"c{ending}").is_file()


@pytest.mark.parametrize(
    ("selection", "why"),
    [
        (Selection(min_similarity=0.67), "its highest similarity is 0.66"),
        (Selection(hosts=("a.exmaple",)), "it has none of host a.exmaple; did you mean a.example"),
        (Selection(languages=("chinese",)), "it has none of chinese; it has zh"),
        (Selection(kinds=("thread",)), "it has none of thread; it has article"),
        (Selection(since=date(2026, 10, 1), until=date(2020, 1, 1)), "--since 2026-10-01 is after --until 2020-01-01"),
        (Selection(min_length=10**6), "no page passes all filters together"),
    ],
)
def test_an_export_of_nothing_leaves_the_former_file(harvested, out: Path, selection: Selection, why: str) -> None:
    export(harvested.database, "t", out / "c.jsonl")
    before = (out / "c.jsonl").read_bytes()
    with pytest.raises(ExportError, match=re.escape(why)):
        export(harvested.database, "t", out / "c.jsonl", selection)
    assert (out / "c.jsonl").read_bytes() == before != b""


def test_nothing_new_is_an_empty_file(harvested, out: Path) -> None:
    assert export(harvested.database, "t", out / "c.jsonl", Selection(since_run=99)) == 0
    assert (out / "c.jsonl").read_bytes() == b""


def test_fields(harvested, out: Path) -> None:
    export(harvested.database, "t", out / "c.jsonl", fields=["licence", "host", "kind", "url"])
    assert lines_of((out / "c.jsonl").read_bytes()) == [
        {"licence": "CC BY-SA 4.0", "host": "a.example", "kind": "article", "url": A},
        {"licence": "", "host": "c.example", "kind": "article", "url": C},
    ]
    with pytest.raises(ExportError, match=f"colour.*{', '.join(FIELDS)}"):
        export(harvested.database, "t", out / "d.jsonl", fields=["url", "colour"])


def test_progress(harvested, out: Path) -> None:
    told: list[tuple[int, int]] = []
    export(harvested.database, "t", out / "c.csv", progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (2, 2)]


def head_of(card: Path) -> dict:
    _, head, _ = card.read_text("utf-8").split("---\n", 2)
    return yaml.safe_load(head)


def test_card(harvested, out: Path) -> None:
    export(
        harvested.database, "t", out / "corpus.parquet", Selection(since=date(2026, 1, 1), kinds=("article", "other"))
    )
    assert head_of(out / "README.md") == {
        "pretty_name": "t",
        "license": "unknown",
        "size_categories": ["n<1K"],
        "language": ["zh"],
        "task_categories": ["text-generation"],
        "configs": [{"config_name": "default", "data_files": "corpus.parquet"}],
    }
    says = (out / "README.md").read_text("utf-8")
    for row in ("| pages | 2 |", "| a.example | 1 |", "| CC BY-SA 4.0 | 1 |", "| no note found | 1 |"):
        assert row in says
    assert "| fetched | 2023-11-14 to 2027-01-15 |" in says
    assert "0.65-0.70         2 ####" in says
    assert "- since: 2026-01-01" in says
    assert "- kinds: article, other" in says
    assert "body text only, in `corpus.parquet`" in says


def test_the_card_spares_other_files(harvested, out: Path) -> None:
    (out / "README.md").write_text("mine")
    export(harvested.database, "t", out / "c.csv")
    export(harvested.database, "t", out / "c.csv")
    assert (out / "README.md").read_text() == "mine"
    assert head_of(out / "c.csv.README.md")["configs"][0]["data_files"] == "c.csv"


def test_beside_a_running_crawl(harvested, out: Path) -> None:
    with Database(harvested.url, readonly=True) as reader:
        assert export(reader, "t", out / "c.jsonl") == 2


@pytest.mark.parametrize(
    ("topic", "name", "words"),
    [
        ("t", "corpus.doc", ".jsonl"),
        ("unknown", "corpus.jsonl", "this database has t"),
        ("t", "missing/corpus.jsonl", "No such file or directory"),
        ("t", "missing/texts/", "No such file or directory"),
        ("t", "folder.jsonl", "folder"),
        ("t", "..", "not a file name"),
    ],
)
def test_mistakes(harvested, out: Path, topic: str, name: str, words: str) -> None:
    (out / "folder.jsonl").mkdir()
    with pytest.raises(ExportError, match=words.replace(".", r"\.")):
        export(harvested.database, topic, f"{out}/{name}")
    assert [item.name for item in out.iterdir()] == ["folder.jsonl"]


@pytest.mark.parametrize("ending", [*WRITERS, "/"])
@pytest.mark.parametrize("cause", [KeyboardInterrupt, MemoryError])
def test_an_old_export_stays_when_the_new_one_is_cut(
    harvested, out: Path, ending: str, cause: type[BaseException]
) -> None:
    target = f"{out}/corpus{ending}"
    export(harvested.database, "t", target)
    before = {item: item.read_bytes() for item in out.rglob("*") if item.is_file()}

    def cut(done: int, total: int) -> None:
        if done:
            raise cause

    with pytest.raises(cause):
        export(harvested.database, "t", target, fields=["url"], progress=cut)
    assert {item: item.read_bytes() for item in out.rglob("*") if item.is_file()} == before


def test_damaged_database(harvested, out: Path) -> None:
    harvested.database.close()
    with pytest.raises(StoreError, match="closed"):
        export(harvested.database, "t", out / "c.jsonl")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "＋1", "\u200b=1", " ﹢1"])
def test_no_text_is_a_formula_to_a_spreadsheet(text: str) -> None:
    assert harmless({"title": text, "similarity": -0.5}) == {"title": f"'{text}", "similarity": -0.5}


def test_other_text_stays_as_it_is() -> None:
    row = {"title": "1 = 1", "body": "", "author": None}
    assert harmless(row) == row


def test_no_words_of_others_control_what_reads_a_file() -> None:
    evil = "a\x1b]0;x\x07\u202egnp\tb\nc|<img>`[x]"
    assert harmless({"title": evil}) == {"title": "a]0;xgnp\tb\nc|<img>`[x]"}
    tally = Tally(pages=1, hosts=Counter([evil]), languages=Counter([evil]), licences=Counter([evil]), steers=(evil,))
    told = card("t", "c.csv", "c.csv", ("url",), Selection(), tally).partition("## How")[0]
    assert not set("\x1b\x07\u202e") & set(told) and "<img" not in told.replace('"a ]0;x  gnp b c|<img>`[x]"', "")


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.csv", "corpus.parquet"])
def test_keywords_are_made_when_they_are_chosen(crawl, kept, out: Path, name: str) -> None:
    crawl.frontier.seed([A], now=0)
    [claim] = crawl.claim()
    crawl.store.commit([kept(claim, "渡口的船停了。渡口的船又开了。")])
    export(crawl.database, "t", out / name, fields=["url", "keywords"])
    if name.endswith("parquet"):
        [row] = pyarrow.parquet.read_table(out / name).to_pylist()
    elif name.endswith("csv"):
        [row] = csv.DictReader(io.StringIO((out / name).read_text("utf-8")))
    else:
        [row] = lines_of((out / name).read_bytes())
    assert row["url"] == A
    assert "渡口" in row["keywords"].split(", ")


def test_without_pyarrow(harvested, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExportError, match=r"pip install 'zhuti\[parquet\]'"):
        export(harvested.database, "t", out / "corpus.parquet")


def test_what_killed_exports_left_is_removed(harvested, out: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    ended, others = dead.pid, os.getppid()
    lost = [f".c.csv.{ended}.part", f".c[1].csv.{ended}.part", f".texts.{ended}.part", f".texts.{ended}.old"]
    kept = [f".c.csv.{others}.part", ".c.csv.x.part", f"c.csv.{ended}.part", f".d.csv.{ended}.part"]
    for name in (*lost, *kept):
        (out / name).mkdir() if "texts" in name else (out / name).touch()
    (out / lost[3] / "index.csv").write_text("killed between the old folder and the new")
    for name in ("c.csv", "c[1].csv"):
        export(harvested.database, "t", out / name)
    with whole_folder(out / "texts", "index.csv") as made:
        assert (out / "texts" / "index.csv").read_text().startswith("killed")
        (made / "index.csv").touch()
    assert not [name for name in lost if (out / name).exists()]
    assert all((out / name).exists() for name in kept)
