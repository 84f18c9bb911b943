"""docs/papers.md holds every section and register row that the code cites."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from crawler.reader.papers.pso import PUBLISHED

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"\d+(?:\.\d+)*")


def cited(pattern: str) -> set[str]:
    places = [path for part in ("crawler", "tests", "lab") for path in (ROOT / part).rglob("*.py")]
    return {number for path in places for number in re.findall(pattern, path.read_text(encoding="utf-8"))}


def test_sections() -> None:
    marked = re.findall(r"^#+ .*$|\*\*.+?\*\*|^ +- \d\.\d|\. \d\.\d is ", PAGE, re.MULTILINE)
    known = {number for text in marked for number in NUMBER.findall(text)}
    assert sorted(cited(r"papers\.md (\d+(?:\.\d+)*)") - known) == []


def test_register() -> None:
    rows = set(re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE))
    assert sorted(cited(r"register (\d+)") - rows) == []


CONSTANTS = re.findall(r"^\| .* \| ([\d.]+)[^|]* \| `([\w.]+:\w+)` \|$", PAGE, re.MULTILINE)


def test_there_are_constants() -> None:
    assert len(CONSTANTS) >= 20


@pytest.mark.parametrize(("value", "name"), CONSTANTS)
def test_constants(value: str, name: str) -> None:
    """The page says what the code does."""
    assert resolve_name(name) == float(value)


def test_published_weights() -> None:
    found = re.search(r"weights ([\d., \n]+) and threshold ([\d.]+\d)", PAGE)
    assert found is not None
    assert tuple(map(float, re.findall(r"[\d.]+\d", found[1]))) == PUBLISHED.weights
    assert float(found[2]) == PUBLISHED.threshold
