from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Run, fill, run as run
from tests.crawls import Crawl
from zhuti.export.command import Command

GOOD, BAD = "https://a.example/1", "https://a.example/2"


@pytest.mark.parametrize(("wish", "urls"), [("tell", [GOOD, BAD]), ("drop", [GOOD])])
def test_harmful_pages(tmp_path: Path, run: Run, wish: str, urls: list[str]) -> None:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, {GOOD: ("排序", "快速排序先选一个基准。"), BAD: ("排序", "葡京娱乐城，百家乐、老虎机，注册送彩金。")})
    crawl.database.close()
    out = tmp_path / "c.jsonl"
    assert run(Command(), "spiders", str(out), "--harmful", wish).status == 0
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["url"] for line in lines] == urls
    assert all((line["harmful"] > 0.03) == (line["url"] == BAD) for line in lines)
    assert run(Command(), "spiders", str(tmp_path / "c.parquet"), "--harmful", wish).status == 0
    told = {"tell": "left in: 1", "drop": "left out: 1"}[wish]
    assert told in (tmp_path / "c.jsonl.README.md").read_text("utf-8")
