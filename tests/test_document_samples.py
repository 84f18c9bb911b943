"""What the documents show is what their commands print today, but for what differs from run to run: numbers, times,
addresses and texts of pages."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.demo.documents import BLOCK, Shell, retold
from lab.replay.background import serve_in_thread
from tests.conftest import ROOT

CHINESE = "README.zh-CN.md", "docs/zh/quick-start.md", "docs/zh/training-set.md"
SAMPLES = [
    "README.md",
    "README.zh-CN.md",
    *(
        pytest.param(name, marks=pytest.mark.release)
        for name in ("docs/tutorial.md", "docs/training-set.md", "docs/zh/quick-start.md", "docs/zh/training-set.md")
    ),
]
RARE = ("", "not judged", "未判断", "given up", "放弃")  # rows of the end table
SEEDS = "http://ai-notes.example/,http://modelcraft.example/"
LONGEST = 200  # characters of a line of the README
FIGURE = re.compile(r"(?<![\w.])\.\d{2,3}\b")
WIDEST = 110  # of what a command prints there


def shape(line: str) -> str:
    """The line without what differs from run to run; "" for one that a run may have or not."""
    if line.startswith("│"):
        name = line.split("│")[1].strip()
        return "" if name in RARE else name
    if re.match(r'\s{8}|\s+"|\s+[.\d]+ ', line):  # texts of pages, fields of a record, titles
        return ""
    line = re.sub(r"https?://\S+", "URL", line)
    return re.sub(r"\d+([-:,.]\d+)*", "N", re.sub(r"[─┌┐└┘┬┴├┤]+", "─", line)).strip()


def blocks(text: str) -> Iterator[list[str]]:
    for block in BLOCK.finditer(text):
        if block["kind"] == "console":
            yield [found for line in block["text"].splitlines() if (found := shape(line))]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name: str, demo_web: Path) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as home, serve_in_thread(demo_web) as replay:
        today = retold(text, Shell(Path(home).resolve(), replay.proxy, "zh" if name in CHINESE else "en"))
    assert list(blocks(text)) == list(blocks(today)), f"python -m lab.demo.documents {name}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_lines_to_copy_run(name: str, demo_web: Path, tmp_path: Path) -> None:
    """In order, each in the folder in which the last one ended; seeds are those of the demo web."""
    lines = re.findall(r"^    ((?:zhuti|scrapy|cd) .*)$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    told = []
    with serve_in_thread(demo_web) as replay:
        shell = Shell(tmp_path.resolve(), replay.proxy, "en")
        for line in lines:
            command = line.replace("https://a.example/,https://b.example/", SEEDS)
            command += " -s PAGE_BUDGET=20 -s DOWNLOAD_DELAY=0" if " crawl " in line else ""
            told.append(shell.run(f"{command} 2>&1; echo status $?"))
    assert len(told) == 5 and [each for each in told if not each.endswith("status 0\n")] == []
    assert re.search(r"^[1-9]\d* pages written to corpus.jsonl", told[3])


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_lines_that_can_be_read(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > LONGEST and not line.startswith("|")] == []
    for block in BLOCK.finditer((ROOT / name).read_text(encoding="utf-8")):
        assert not ("scrapy " in block["text"] and "zhuti " in block["text"]), "one program in a box"
        assert max(map(len, block["text"].splitlines())) <= WIDEST


def figures(name: str) -> set[str]:
    """Figures of the tables that compare: .661, .925."""
    rows = [line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    return set(FIGURE.findall("\n".join(rows)))


def test_figures_are_the_same_everywhere() -> None:
    assert figures("README.md") == figures("README.zh-CN.md")
    assert figures("README.md") <= set(FIGURE.findall((ROOT / "docs" / "figures.md").read_text(encoding="utf-8")))
