from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pyarrow.parquet
import pytest
from hypothesis import given, settings, strategies as st

from crawler.reader.text.minhash import token_count
from zhuti.export.chunks import Chunks, pieces
from zhuti.export.corpus import WRITERS, export
from zhuti.export.sqlite import write_sqlite
from zhuti.export.stage import in_a_row

PROSE = "渡口的船每天早上六点开。"  # 11 tokens
PROGRAM = "```python\n# 不是标题\n\nprint(1)\n\n\nprint(2)\n```"
TABLE = "| 名 | 数 |\n|---|---|\n| 船 | 一 |\n| 桨 | 二 |"
FORMULA = "$$\na\n\n# b\n- c\n$$"
PAGE = f"# 船\n\n{PROSE}\n\n## 桨\n\n{PROSE}\n\n{PROGRAM}\n\n## 帆\n\n{TABLE}\n\n# 岸\n\n{FORMULA}\n\n{PROSE * 3}"


def cut(body: str, size: int, markdown: bool = True) -> list[tuple[str, tuple[str, ...]]]:
    return [(body[piece.start : piece.end], piece.path) for piece in pieces(body, size, markdown)]


def test_headings_lead_their_pieces() -> None:
    found = cut(PAGE, 20)
    assert [path for _, path in found] == [(), ("船",), ("船", "桨"), ("船",), (), ("岸",), ("岸",)]
    assert found[0][0] == f"# 船\n\n{PROSE}"
    assert found[1][0] == f"## 桨\n\n{PROSE}"
    assert (found[2][0], found[3][0]) == (PROGRAM, f"## 帆\n\n{TABLE}")


@pytest.mark.parametrize("size", [5, 20, 40, 1000])
@pytest.mark.parametrize("whole", [PROGRAM, TABLE, FORMULA])
def test_never_cut(size: int, whole: str) -> None:
    assert sum(whole in text for text, _ in cut(PAGE, size)) == 1


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        (PROSE * 4, [PROSE * 2, PROSE * 2]),
        ("甲" * 50, ["甲" * 50]),
        ("它是 $a。b。c$ 的值。" + "乙" * 18 + "。", ["它是 $a。b。c$ 的值。", "乙" * 18 + "。"]),
        (f"- {PROSE}\n- {PROSE}\n- {PROSE}", [f"- {PROSE}\n- {PROSE}", f"- {PROSE}"]),
        ("", []),
        (f"{PROSE}\n\n[1]: https://a.example/", [f"{PROSE}\n\n[1]: https://a.example/"]),
        (f"## 只有标题\n\n## 又一个\n\n{PROSE}", [f"## 只有标题\n\n## 又一个\n\n{PROSE}"]),
        ("五元 $$ 而已", ["五元 $$ 而已"]),
    ],
)
def test_parts(body: str, parts: list[str]) -> None:
    assert [text for text, _ in cut(body, 22)] == parts


def test_many_formulas_are_cut_in_one_pass() -> None:
    """Twenty seconds of a processor, when each end of a sentence was held against each formula."""
    found = cut("$x$。" * 12_000, 500)
    assert len(found) == 24 and {piece[-4:] for piece, _ in found} == {"$x$。"}


def test_plain_text_has_no_headings() -> None:
    assert cut(f"# 注释\n{PROSE}\n{PROSE}", 13, markdown=False) == [(f"# 注释\n{PROSE}", ()), (PROSE, ())]


LINES = st.lists(
    st.sampled_from(["# 一", "## 二", PROSE, "", "```", "$$", "| a | b |", "|---|---|", "- 项", "> 引", "x"])
)


@settings(max_examples=200, deadline=None)
@given(LINES, st.integers(5, 60), st.booleans())
def test_nothing_is_lost(lines: list[str], size: int, markdown: bool) -> None:
    body, at = "\n".join(lines), 0
    for piece in pieces(body, size, markdown):
        assert not body[at : piece.start].strip()
        text = body[piece.start : piece.end]
        assert text.strip()
        assert piece.tokens == token_count(text)
        at = piece.end
    assert not body[at:].strip()


@pytest.fixture
def harvested(crawl, kept):
    crawl.frontier.seed(["https://a.example/"], now=0)
    crawl.store.commit([kept(claim, PAGE) for claim in crawl.claim()])
    return crawl


def test_files(harvested, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    number = len(cut(PAGE, 20))
    for ending in ("jsonl", "parquet"):
        shape = in_a_row([], [Chunks(20, markdown=True)])
        assert export(harvested.database, "t", folder / f"c.{ending}", shape=shape) == number
    lines = [json.loads(line) for line in (folder / "c.jsonl").read_text("utf-8").splitlines()]
    assert [line["chunk"] for line in lines] == list(range(1, number + 1))
    assert all(line["body"] == PAGE[line["start"] : line["end"]] for line in lines)
    assert lines[2]["path"] == "船 > 桨"
    assert "| pages | 1 |" in (folder / "README.md").read_text("utf-8")
    rows = pyarrow.parquet.read_table(folder / "c.parquet").to_pylist()
    assert [(row["body"], row["tokens"]) for row in rows] == [(line["body"], line["tokens"]) for line in lines]


def test_search_with_sqlite_alone(harvested, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WRITERS, ".sqlite", write_sqlite)
    path = tmp_path / "c.sqlite"
    export(harvested.database, "t", path, shape=in_a_row([], [Chunks(20, markdown=True)]))
    found = "SELECT pages.path, pages.url FROM search JOIN pages ON pages.id = search.rowid WHERE search MATCH ?"
    with sqlite3.connect(path) as connection:
        assert connection.execute(found + " ORDER BY rank", ["每天早上"]).fetchall()[0][1] == "https://a.example/"
        assert connection.execute(found, ["每天晚上"]).fetchall() == []
        assert connection.execute("SELECT count(*) FROM pages WHERE body LIKE '%船每%'").fetchone() > (1,)
    connection.close()
