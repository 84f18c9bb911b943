from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from crawler.errors import ExportError
from zhuti.export.corpus import export
from zhuti.export.decontaminate import ENDINGS, Decontaminate, Items, items
from zhuti.export.options import TESTS
from zhuti.export.stage import in_a_row

ITEM = "老渡口的木船在每年春天涨水之前都要拖上岸来，由船工用桐油和麻丝把船缝一条一条补好。"
NEAR = "老渡口的木船，每年春天涨水前都要拖上岸，由船工用桐油跟麻丝把船缝一条条补好。"  # a word here and there
OTHER = "渡口的船每天早上六点开，坐船的人要先买票，老人和孩子坐船不要钱，船工都是本村的人。"
ENGLISH = "The ferry at the old crossing is hauled ashore every spring before the river rises and is caulked with oil."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"前文。{ITEM}后文。", [0]),
        (f"{NEAR}后文。", [0]),
        (OTHER, []),
        (f"Before. {ENGLISH.upper()} After.", [1]),
        ("老渡口的木船", []),
        ("", []),
    ],
)
def test_held(text: str, found: list[int]) -> None:
    assert [each.item for each in Items([ITEM, ENGLISH]).held_by(text)] == found


def test_what_many_items_share_says_nothing() -> None:
    asked = "下列关于渡口和船工的各种说法中，哪一个是正确的："
    assert Items([asked]).held_by(asked)
    many = Items([f"{asked}{name}" for name in "甲乙丙"])
    assert many.held_by(asked) == []
    assert many.skipped == 3


def test_a_row_of_numbers_is_no_text() -> None:
    assert Items([f"{'0 0 1 ' * 20}" + "1 0 1 1"]).held_by("0 0 1 " * 30) == []


def test_no_items() -> None:
    assert Items([]).held_by(ITEM) == []


def written(folder: Path, ending: str) -> Path:
    path = folder / f"tests{ending}"
    record = {"id": 1, "question": "问", "choices": ["一", "二"]}
    if ending == ".jsonl":
        path.write_text(f"{json.dumps(record)}\n\n", encoding="utf-8")
    elif ending == ".json":
        path.write_text(json.dumps([record]), encoding="utf-8")
    elif ending == ".csv":
        path.write_text('﻿id,question\r\n1,"问\n一\n二"\r\n', encoding="utf-8", newline="")
    elif ending == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist([record]), path)
    else:
        path.write_text("问 一 二\n\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ENDINGS.split(", "))
def test_files(tmp_path: Path, ending: str) -> None:
    (text,) = items(written(tmp_path, ending))
    assert [word for word in text.split() if word != "1"] == ["问", "一", "二"]


def test_the_help_names_the_endings() -> None:
    assert TESTS == ENDINGS


CANNOT = [("a.doc", "x"), ("a.jsonl", "{"), ("a.json", "["), ("none.csv", None), ("b.json", "[" * 200_000)]


@pytest.mark.parametrize(("name", "content"), CANNOT, ids=[*"abcde"])
def test_what_cannot_be_read(tmp_path: Path, name: str, content: str | None) -> None:
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ExportError, match="cannot be read as a test set"):
        list(items(tmp_path / name))


def test_export(crawl, kept, tmp_path: Path) -> None:
    crawl.frontier.seed(["https://a.example/", "https://b.example/"], now=0)
    first, second = crawl.claim()
    crawl.store.commit([kept(first, f"前文。\n{ITEM}"), kept(second, OTHER)])
    (tmp_path / "mine.txt").write_text(f"{ITEM}\n太短\n", encoding="utf-8")
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / "c.jsonl"
    shape = in_a_row([Decontaminate([tmp_path / "mine.txt"], out)])
    assert export(crawl.database, "t", out, shape=shape) == 1
    assert json.loads(out.read_text("utf-8"))["body"] == OTHER
    report = json.loads((tmp_path / "out" / "c.jsonl.DECONTAMINATION.jsonl").read_text("utf-8"))
    assert (report["url"], report["set"], report["item"], report["share"]) == (first.url, "mine.txt", 0, 1.0)
    assert ITEM.startswith(report["begins"])
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "1 pages that hold 1 of 2 test items are left out (1 items are too short" in card
