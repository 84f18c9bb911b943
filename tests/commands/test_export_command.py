from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.commands.export import Command
from tests.commands.conftest import Run, fill
from tests.store.conftest import Crawl


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def test_options(harvest: Path, run: Run, out: Path) -> None:
    done = run(Command(), "spiders", f"{out}/c.jsonl", "--host", "A.example", "--fields", "title", "--since=2023-11-14")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"2 pages written to {out}/c.jsonl\n"
    lines = [json.loads(line) for line in (out / "c.jsonl").read_text("utf-8").splitlines()]
    assert lines == [{"title": "爬虫入门"}, {"title": "搜索引擎"}]


def test_a_topic_by_its_file(harvest: Path, run: Run, out: Path) -> None:
    (out / "spiders.toml").write_text("keywords = ['爬虫']", encoding="utf-8")
    assert run(Command(), f"{out}/spiders.toml", f"{out}/c.csv", "--bom").out == f"3 pages written to {out}/c.csv\n"
    assert "no such topic file" in run(Command(), f"{out}/none.toml", f"{out}/c.csv").err


def test_graph(harvest: Path, run: Run, out: Path) -> None:
    done = run(Command(), "spiders", f"{out}/graph.graphml")
    assert done.out == f"2 links written to {out}/graph.graphml\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("spiders", "{}/c.doc"), ".parquet"),
        (("spiders", "{}/no/c.csv"), "folder you may write to"),
        (("cooking", "{}/c.csv"), "of this database are spiders"),
        (("spiders", "{}/c.csv", "--fields", "colour"), "choose of url"),
        (("spiders", "{}/c.csv", "--host", "http://"), "example.com"),
        (("spiders", "{}/graph.gexf", "--min-length", "9"), "leave out"),
        (("spiders", "{}/c.csv", "--since", "yesterday"), "2026-01-31"),
        (("spiders", "{}/c.csv", "--min-similarity", "3"), "from 0 to 1"),
    ],
)
def test_mistakes(harvest: Path, run: Run, out: Path, arguments: tuple[str, ...], words: str) -> None:
    done = run(Command(), *(argument.format(out) for argument in arguments))
    assert done.status == 2
    assert words in done.err
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_cut(tmp_path: Path, start: Callable[..., subprocess.Popen[str]], out: Path, number: int) -> None:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, {f"https://a.example/{place}": (f"第{place}页", f"正文{place}" * 2000) for place in range(3000)})
    crawl.database.close()
    export = start("export", "spiders", f"{out}/c.jsonl.zst")
    until = time.monotonic() + 60
    while not list(out.iterdir()) and time.monotonic() < until:
        time.sleep(0.001)
    export.send_signal(number)
    _, told = export.communicate(timeout=60)
    assert (export.returncode, list(out.iterdir())) == (130, [])
    assert "as it was before" in told
