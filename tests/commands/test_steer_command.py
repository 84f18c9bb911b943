"""`zhuti steer`: what is blocked or boosted, and that `zhuti why` and the data card tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.database.database import Database
from tests.commands.conftest import Run
from zhuti.export.command import Command as Export
from zhuti.upkeep.steer_command import Command as Steer
from zhuti.why.command import Command as Why

NEW = "https://b.example/new"  # waits


def test_blocked_boosted_cleared(harvest: Path, run: Run, tmp_path: Path) -> None:
    assert run(Steer(), "spiders").out == "Nothing is blocked or boosted.\n"
    with Database(f"sqlite:///{harvest}"):  # a crawl is at work
        assert "block  b.example" in run(Steer(), "spiders", "block", "b.example").out
    assert "blocked by 'b.example' since" in run(Why(), NEW, "--quick").out
    (tmp_path / "corpus").mkdir()
    assert run(Export(), "spiders", str(tmp_path / "corpus" / "c.jsonl")).status == 0
    assert "people said: block b.example" in (tmp_path / "corpus" / "README.md").read_text(encoding="utf-8")
    run(Steer(), "spiders", "clear", "b.example")
    assert "boost  *.example" in run(Steer(), "spiders", "boost", "*.example").out
    told = run(Why(), NEW, "--quick").out
    assert "waits:" in told and "boosted by '*.example' since" in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "give TOPIC [block|boost|clear PATTERN]"),
        (("spiders", "block"), "give TOPIC [block|boost|clear PATTERN]"),
        (("spiders", "stop", "a.example"), "unknown action stop; give block, boost, clear"),
        (("spiders", "block", " "), "is not a pattern; give a host"),
        (("spiders", "block", "*"), "is not a pattern; give a host"),
        (("spiders", "clear", "a.example"), "nothing blocks or boosts 'a.example'"),
        (("cooking", "block", "a.example"), "cooking"),
    ],
)
def test_mistakes(harvest: Path, run: Run, arguments: tuple[str, ...], says: str) -> None:
    done = run(Steer(), *arguments)
    assert (done.status, says in done.err) == (2, True), done.err
