from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet
import pytest

from tests.commands.conftest import Run, fill, run as run
from tests.crawls import Crawl
from zhuti.export.command import Command

URL = "https://a.example/1"
BODY = "写信到 tea@a.example，身份证号11010519491231002X；订单号110105194912310021。"
COUNTS = {"mail": 1, "identity": 1, "card": 0, "phone": 1}


@pytest.fixture
def harvest(tmp_path: Path) -> None:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, {URL: ("致电13812345678", BODY)})
    crawl.database.close()


def line_of(path: Path) -> dict[str, object]:
    return dict(json.loads(path.read_text("utf-8")))


@pytest.mark.usefixtures("harvest")
def test_masked(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "c.jsonl"
    assert run(Command(), "spiders", str(out), "--personal", "mask").status == 0
    line = line_of(out)
    assert line["title"] == "致电[phone]"
    assert line["body"] == "写信到 [mail]，身份证号[identity]；订单号110105194912310021。"
    assert line["personal"] == COUNTS
    assert "masked: 1 mail, 1 identity, 0 card, 1 phone" in (tmp_path / "c.jsonl.README.md").read_text("utf-8")


@pytest.mark.usefixtures("harvest")
def test_told(run: Run, tmp_path: Path) -> None:
    for ending in ("jsonl", "csv", "parquet"):
        assert run(Command(), "spiders", f"{tmp_path}/c.{ending}", "--personal", "tell").status == 0
    line = line_of(tmp_path / "c.jsonl")
    assert (line["body"], line["personal"]) == (BODY, COUNTS)
    (row,) = csv.DictReader(io.StringIO((tmp_path / "c.csv").read_text("utf-8"), newline=""))
    assert json.loads(row["personal"]) == COUNTS
    assert pyarrow.parquet.read_table(tmp_path / "c.parquet")["personal"].to_pylist() == [COUNTS]


@pytest.mark.usefixtures("harvest")
def test_a_graph_has_no_texts(run: Run, tmp_path: Path) -> None:
    done = run(Command(), "spiders", f"{tmp_path}/links.csv", "--personal", "mask")
    assert (done.status, "leave out" in done.err) == (2, True)
