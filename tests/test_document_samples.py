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


def on_the_demo_web(line: str) -> str:
    line = re.sub(r"https://a\.example/(,https://b\.example/)?", SEEDS, line)
    return f"{line} -s PAGE_BUDGET=20 -s DOWNLOAD_DELAY=0" if " crawl " in line else line


@pytest.mark.slow
def test_lines_to_copy_run(demo_web: Path, tmp_path: Path) -> None:
    """In order, each in the folder in which the last one ended; seeds are those of the demo web."""
    to_copy = re.compile(r"^    ((?:zhuti|scrapy|cd) .*)$", re.MULTILINE)
    lines, in_chinese = (to_copy.findall((ROOT / name).read_text("utf-8")) for name in ("README.md", "README.zh-CN.md"))
    assert lines == in_chinese
    with serve_in_thread(demo_web) as replay:
        shell = Shell(tmp_path.resolve(), replay.proxy, "en")
        told = [shell.run(f"{on_the_demo_web(line)} 2>&1; echo status $?") for line in lines]
    assert len(told) == 5 and [each for each in told if not each.endswith("status 0\n")] == []
    assert re.search(r"^[1-9]\d* pages written to corpus.jsonl", told[3])


PREPARED = [  # what the lines to copy of these pages take for granted
    "zhuti init harvest && cd harvest",
    """printf 'extends = "machine-learning"\n' | tee topics/my-topic.toml > topics/mine.toml""",
    f"zhuti crawl topic -a topic=my-topic -a seeds={SEEDS} -s PAGE_BUDGET=60 -s DOWNLOAD_DELAY=0 -s WARC_DIR=warc",
    """printf '{"text": "a question of a test set, long enough to be found"}\n' > mine.jsonl""",
    'python -c \'import pyarrow as a, pyarrow.parquet as p; p.write_table(a.table({"text": ["a"]}), "ceval.parquet")\'',
    "zhuti export my-topic out/ --partition day",
]
OTHERS = "corpus", "export", "schedule", "is-my-harvest-good", "api", "operate"
LINE = re.compile(
    r"^(?:    |.*?`(?=zhuti store [^f]))(zhuti (?:crawl|export|sql|news|seeds|topics|store)[^`\n]*)", re.MULTILINE
)
NOT_HERE = "s3://", "--watch", "my-topic --every", "TOPIC OUT", "unnest(judgements)"


@pytest.mark.release
@pytest.mark.timeout(600)
def test_lines_of_other_pages_run(demo_web: Path, tmp_path: Path) -> None:
    """Those of pages whose commands take a harvest of `my-topic`."""
    told = {}
    pages = {name: (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in OTHERS}
    toml = re.search(r"# corpus.toml\n((?:    .+\n)+)", pages["export"])
    own = re.search(r"```python\n(from zhuti import Extraction, Judge.*?)```", pages["api"], re.DOTALL)
    assert toml and own
    with serve_in_thread(demo_web) as replay:
        shell = Shell(tmp_path.resolve(), replay.proxy, "en")
        for line in PREPARED:
            told[line] = shell.run(f"{line} 2>&1; echo status $?")
        (shell.folder / "corpus.toml").write_text(toml[1].replace("    ", ""), encoding="utf-8")
        (shell.folder / "mine.py").write_text(own[1], encoding="utf-8")
        for line in LINE.findall("\n".join(pages.values())):
            if not any(part in line for part in NOT_HERE):
                again = "".join(f"rm -rf {out}; " for out in re.findall(r"export my-topic (\S+)", line))
                told[line] = shell.run(f"{again}{on_the_demo_web(line.partition(' # ')[0])} 2>&1; echo status $?")
    right = re.compile(r"status 0\n\Z|^Error: no (page|harvest) (of|with) ")  # pages that this harvest has not
    assert [f"{line}: {text[-300:]}" for line, text in told.items() if not right.search(text)] == []
    assert len(told) > 20


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
