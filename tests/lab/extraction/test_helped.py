"""Pages that a change helps and harms."""

from __future__ import annotations

from pathlib import Path

from lab.extraction.helped import compared
from lab.extraction.labelled import LabelledPage


def label(name: str, body: str = "x") -> LabelledPage:
    return LabelledPage(f"zh/set/{name}", "", "zh", "article", "", body, None, None, Path(name))


def test_compared() -> None:
    labels = [label("a"), label("b"), label("c"), label("d", "")]
    no = {"title": None, "day": None, "false": None}
    before = {
        "zh/set/a": no | {"f1": 0.5}, "zh/set/b": no | {"f1": 0.9}, "zh/set/c": no | {"f1": 0.9, "day": False},
        "zh/set/d": no | {"f1": None, "false": True},
    }  # fmt: skip
    now = before | {
        "zh/set/a": no | {"f1": 0.8}, "zh/set/b": no | {"f1": 0.2}, "zh/set/c": no | {"f1": 0.91, "day": True},
    }  # fmt: skip
    lines = list(compared(labels, before, now))
    assert lines[2] == "| zh/set article | 4 | 0.767 0.637 | 1, 1 | - - | 0.000 1.000 | 1.000 1.000 |"
    assert lines[3].startswith("| all | 4 |")
    assert lines[4:] == ["zh/set/a: 0.50 to 0.80", "zh/set/b: 0.90 to 0.20", "zh/set/c: day False to True"]
