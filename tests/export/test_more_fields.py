"""`--with`: how a page was found, its links, its pictures between the text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tests.commands.conftest import Run, fill, run as run
from tests.commands.test_export_command import FERRY, archived
from tests.crawls import Crawl
from zhuti.export.command import Command
from zhuti.export.field_stages import parts

URL = "https://c.example/1"
BODY = f"<h1>渡口重开</h1>{f'<p>{FERRY * 2}</p>' * 4}<p><img src=/boat.png alt=船></p><p>{FERRY * 3}</p>"
LINK = f"<p>{FERRY}<a href=https://d.example/x>船票</a>{FERRY}</p>"


@pytest.fixture
def harvest(tmp_path: Path) -> None:
    places = archived(tmp_path / "warc", {URL: f"<html><body>{BODY}{LINK}</body></html>"})
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, {URL: ("渡口重开", FERRY)}, places)
    crawl.database.close()


def line_of(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text("utf-8")))


@pytest.mark.usefixtures("harvest")
def test_trace(run: Run, tmp_path: Path) -> None:
    for ending in ("jsonl", "parquet"):
        done = run(Command(), "spiders", f"{tmp_path}/c.{ending}", "--fields", "url", "--with", "trace")
        assert (done.status, done.err) == (0, "")
    line = line_of(tmp_path / "c.jsonl")
    assert line == {"url": URL, "parent": None, "depth": 0, "distance": 0, "score": line["score"], "reason": ""}
    assert pyarrow.parquet.read_table(tmp_path / "c.parquet").to_pylist() == [line]


@pytest.mark.usefixtures("harvest")
def test_links_and_pictures(run: Run, tmp_path: Path) -> None:
    archive = ("-s", f"WARC_DIR={tmp_path}/warc")
    assert "WARC_DIR" in run(Command(), "spiders", f"{tmp_path}/c.jsonl", "--with", "links").err
    for ending in ("jsonl", "parquet"):
        more = ("--with", "links,images", "--format", "markdown", *archive)
        assert run(Command(), "spiders", f"{tmp_path}/c.{ending}", *more).status == 0
    line = line_of(tmp_path / "c.jsonl")
    assert line["links"] == [{"url": "https://d.example/x", "text": "船票"}]
    assert line["images"] == [{"url": "https://c.example/boat.png", "caption": "船"}]
    assert [part["image"] for part in line["parts"]] == ["", "https://c.example/boat.png", ""]
    assert line["parts"][1]["text"] == "船"
    (row,) = pyarrow.parquet.read_table(tmp_path / "c.parquet").to_pylist()
    assert [row[name] for name in ("links", "images", "parts")] == [line[name] for name in ("links", "images", "parts")]
    assert run(Command(), "spiders", f"{tmp_path}/c.jsonl", "--with", "links", *archive).status == 0
    assert line_of(tmp_path / "c.jsonl")["body"] == FERRY, "the text is the stored one"


def test_parts() -> None:
    assert parts("甲 ![一\\]](<http://a/>) 乙") == [
        {"text": "甲 ", "image": ""},
        {"text": "一\\]", "image": "http://a/"},
        {"text": " 乙", "image": ""},
    ]
    assert parts("![](x)") == [{"text": "", "image": "x"}]
    assert parts("") == []


@pytest.mark.usefixtures("harvest")
def test_unknown(run: Run, tmp_path: Path) -> None:
    done = run(Command(), "spiders", f"{tmp_path}/c.jsonl", "--with", "colour")
    assert (done.status, "use one of trace, links, images" in done.err) == (2, True)
