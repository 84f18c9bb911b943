from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Done, Run
from tests.conftest import Scrapy
from zhuti.search.command import Command as Search
from zhuti.upkeep.command import Command as Store

COMMANDS = {"search": Search, "store": Store}


def test_search_then_forget(harvest: Path, run: Run, scrapy: Scrapy) -> None:
    found = scrapy("search", "倒排索引")
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("1. 搜索引擎\n   https://www.a.example/2\n   2023-11-14  倒排索引记录")
    dry = run(Store(), "forget", "--host", "a.example", "--dry-run")
    assert dry.out == "2 pages would be removed, 2 of them with a body; 0 waiting URLs would be dropped.\n"
    gone = run(Store(), "forget", "--host", "https://A.example/")
    assert gone.out.startswith("2 pages removed, 2 of them with a body; 0 waiting URLs dropped.\n")
    assert "denied_hosts" in gone.out
    hits = run(Search(), "网页", "--jsonl", "--topic", "spiders")
    assert [json.loads(line)["url"] for line in hits.out.splitlines()] == ["https://b.example/3"]
    assert run(Search(), "倒排索引") == Done(1, "", "Nothing found.\n")


def test_stats_and_the_others(harvest: Path, run: Run) -> None:
    told = run(Store(), "stats").out
    assert "bodies                  3, " in told
    assert "spiders\n  3 fetches 2023-11-14 to 2023-11-14\n  3 kept, 0 off topic, 0 duplicates" in told
    assert run(Store(), "index").out == "3 pages indexed, 3 in the index.\n"
    assert run(Store(), "index").out == "0 pages indexed, 3 in the index.\n"
    assert " MB before, " in run(Store(), "vacuum").out
    assert "already up to date" in run(Store(), "upgrade").out
    assert run(Store(), "forget", "--older-than", "1d").out.startswith("3 pages removed")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("store",), "stats|vacuum|forget|forget-withdrawn|upgrade|index"),
        (("store", "destroy"), "stats|vacuum|forget|forget-withdrawn|upgrade|index"),
        (("store", "forget"), "--older-than"),
        (("store", "forget", "--older-than", "long"), "90d"),
        (("store", "forget", "--host", "a b"), "example.com"),
        (("store", "forget", "--host", "a.example", "--topic", "cooking"), "cooking"),
        (("store", "stats", "--host", "a.example"), "store forget"),
        (("search",), "give WORDS"),
        (("search", "的"), "no word"),
        (("search", "网页", "--limit", "0"), "--limit"),
        (("search", "网页", "--topic", "cooking"), "spiders"),
    ],
)
def test_mistakes(harvest: Path, run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run(COMMANDS[arguments[0]](), *arguments[1:])
    assert done.status == 2
    assert words in done.err


@pytest.mark.parametrize("command", [("search", "网页"), ("store", "stats"), ("store", "vacuum"), ("store", "upgrade")])
def test_no_harvest(tmp_path: Path, run: Run, command: tuple[str, ...]) -> None:
    done = run(COMMANDS[command[0]](), *command[1:])
    assert done.status == 2
    assert "no harvest at" in done.err
    assert not (tmp_path / "harvest.db").exists()
