from __future__ import annotations

from pathlib import Path

import pytest

from crawler.commands.topic import Command
from crawler.topic.files import Topic
from tests.commands.conftest import Run


def test_show(run: Run) -> None:
    done = run(Command(), "show", "java", "--words", "3")
    assert done.status == 0
    head, *words = done.out.splitlines()
    assert head.startswith("java: ") and head.endswith("similarity 0.3 or more are kept")
    assert len(words) == 3
    assert words[0].startswith("  1.000  ")


def test_save(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    saved = run(Command(), "show", "java", "--save", str(path))
    assert f"Edit {path}, then" in saved.out
    assert f"scrapy rejudge {path}" in saved.out
    assert Topic.load(path).keywords
    again = run(Command(), "show", "java", "--save", str(path))
    assert (again.status, again.out) == (2, "")
    assert "exists" in again.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give one topic"),
        (("list", "java"), "give one topic"),
        (("show", "cooking"), "unknown"),
        (("show", "java", "--save", "mine.txt"), "ends in .toml"),
        (("show", "java", "--save", "/nowhere/mine.toml"), "may write to"),
        (("show", "java", "--words", "0"), "from 1 on"),
    ],
)
def test_mistakes(run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run(Command(), *arguments)
    assert done.status == 2
    assert words in done.err
