"""Tables, curves, charts and files of a study's runs."""

import csv
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from crawler.errors import ExportError
from lab.links import tables
from lab.links.compare import Run
from lab.links.curves import curves, need_charts, points, write
from lab.links.judge_quality import Verdict, quality

SVG = "{http://www.w3.org/2000/svg}"
GOOD, BAD = (True, True, False, True), (False, False, False, True)


def run(scorer: str, topic: str, hits: tuple[bool, ...], draw: int = 0) -> Run:
    return Run(scorer, topic, draw, 4, 4, hits, (True, False, False, True), 1, 0.5)


RUNS = [run("one", "a", GOOD), run("two", "a", BAD), run("one", "b", BAD), run("two", "b", BAD)]
QUALITIES = [quality("a", [Verdict(1.0, kept=True, true=True)]), quality("b", [Verdict(0.4, kept=True, true=False)])]


def test_what_a_run_tells() -> None:
    good = run("one", "a", GOOD)
    assert [good.harvest(n) for n in (1, 2, 4)] == [1.0, 1.0, 0.75]
    assert [good.recall(n) for n in (1, 2, 4)] == [0.25, 0.5, 0.75]
    assert good.right == 1.0
    assert run("one", "a", (True,)).harvest(4) == 0.25  # it ended early


def test_tables() -> None:
    lines = tables.scorers(RUNS).splitlines()
    assert lines[0].startswith("| scorer | harvest at 2 | at 4 | recall at 4 |")
    assert lines[2].startswith("| `one` | 0.500 ± 6.353 | 0.500 ± 3.177 | 0.500 ± 3.177 |")  # t(1) = 12.706
    assert lines[3].startswith("| `two` | 0.000 ± 0.000 | 0.250 ± 0.000 |")
    assert tables.topics(RUNS).splitlines()[2] == "| `one` | 0.750 | 0.250 |"
    assert "| `one` | 0.500 ± 6.353 | +0.000 b | 0.250 ± 3.177 | +0.000 b |" in tables.against(RUNS, "two")
    some = [replace(each, expected=2.0) for each in RUNS]
    assert tables.left(some).splitlines()[2] == "| `one` | 2 | 2 | 1.333 ± 8.471 | 0.667 ± 4.235 | 0 | 1.000 |"
    assert tables.judge(QUALITIES).splitlines()[-1].startswith("| mean | 2 | 0.500 ±")


def test_curves_are_means_over_topics() -> None:
    one, two = curves(RUNS)
    assert (one.scorer, one.pages) == ("one", (1, 2, 3, 4))
    assert one.harvest == (0.5, 0.5, pytest.approx(1 / 3), 0.5)
    assert two.recall == (0.0, 0.0, 0.0, 0.25)


@pytest.mark.parametrize(("budget", "count"), [(1, 1), (99, 99), (100, 100), (1000, 100), (150, 150)])
def test_points_end_with_the_budget(budget: int, count: int) -> None:
    found = points(budget)
    assert (found[-1], len(found), len(set(found))) == (budget, count, count)


def test_files(tmp_path: Path) -> None:
    paths = write(tmp_path / "new", RUNS, QUALITIES)
    assert sorted(path.name for path in paths) == [
        "curves.csv",
        "harvest.svg",
        "judge.csv",
        "means.csv",
        "recall.svg",
        "reliability.csv",
        "runs.csv",
    ]
    texts = {path.stem: path.read_text("utf-8") for path in paths if path.suffix == ".csv"}
    rows = {name: list(csv.DictReader(text.splitlines())) for name, text in texts.items()}
    assert [len(rows[name]) for name in ("runs", "curves", "means", "judge", "reliability")] == [4, 16, 8, 2, 2]
    assert rows["runs"][0]["harvest"] == "0.7500"
    assert rows["curves"][1] == {
        "scorer": "one",
        "topic": "a",
        "draw": "0",
        "pages": "2",
        "harvest": "1.0000",
        "recall": "0.5000",
    }
    assert rows["reliability"][1]["mean_chance"] == "0.4000"


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ExportError, match=r"--out: .* name a writable folder"):
        write(tmp_path / "file", RUNS, QUALITIES)


@pytest.mark.parametrize("count", [1, 2, 18, 30])
@pytest.mark.parametrize("hits", [(False,) * 4, (True,) * 4, GOOD])
def test_charts_name_every_scorer_within_their_frame(tmp_path: Path, count: int, hits: tuple[bool, ...]) -> None:
    runs = [run(f"scorer <{n}> & more", "a", hits if n else BAD) for n in range(count)]
    for path in write(tmp_path, runs, [])[-2:]:
        tree = ElementTree.parse(path).getroot()
        height = float(tree.get("height", "").removesuffix("pt"))
        names = [text for text in tree.iter(f"{SVG}text") if (text.text or "").startswith("scorer <")]
        assert len(names) == count
        assert all(0 < float(text.get("y", "nan")) < height for text in names)
        assert len({line.get("style") for line in tree.iter(f"{SVG}path")}) >= count  # colours and dashes


def test_charts_are_the_same_at_every_run(tmp_path: Path) -> None:
    first, second = (write(tmp_path / name, RUNS, [])[-1].read_bytes() for name in "ab")
    assert first == second


def test_charts_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    need_charts()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ExportError, match=r"pip install '\.\[lab\]'"):
        need_charts()
