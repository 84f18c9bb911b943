from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.conftest import Run, harvest as harvest, run as run
from tests.model_server import Asked, served
from zhuti.export.command import Command


def by_length(question: Asked) -> object:
    return {"data": [{"index": n, "embedding": [3.0, float(len(text))]} for n, text in enumerate(question["input"])]}


def test_vectors_of_pieces(harvest: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow import parquet

    monkeypatch.setattr("crawler.settings.MODEL_NAME", "m")
    out = tmp_path / "pieces.parquet"
    with served(by_length) as (url, asked):
        monkeypatch.setattr("crawler.settings.MODEL_URL", url)
        done = run(Command(), "spiders", str(out), "--chunks", "20", "--with", "vectors", "--quality", "0")
    assert done.status == 0
    rows = parquet.read_table(out).to_pylist()
    assert len(rows) == 3 == sum(len(question["input"]) for question in asked)
    assert all(sum(number * number for number in row["vector"]) == pytest.approx(1.0, abs=1e-5) for row in rows)
    assert all(isinstance(row["quality"], float) for row in rows)
    shown = asked[0]["input"][0]
    assert shown == f"爬虫入门\n{rows[0]['body']}", "the title stands before each piece"
    assert "vectors by m: 3" in Path(f"{out}.README.md").read_text("utf-8")


def test_without_a_model(harvest: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zhuti.export.embedders.find_spec", lambda _name: None)
    done = run(Command(), "spiders", str(tmp_path / "x.jsonl"), "--with", "vectors")
    assert done.status == 2 and "no model for vectors" in done.err
    assert not (tmp_path / "x.jsonl").exists()
