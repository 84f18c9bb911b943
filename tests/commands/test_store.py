from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Scrapy


def test_search_then_forget(harvest: Path, scrapy: Scrapy) -> None:
    found = scrapy("search", "倒排索引")
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.startswith("1. 搜索引擎\n   https://www.a.example/2\n   2023-11-14  倒排索引记录")
    dry = scrapy("store", "forget", "--host", "a.example", "--dry-run")
    assert dry.stdout == "2 pages would be removed, 2 of them with a body; 0 waiting URLs given up.\n"
    gone = scrapy("store", "forget", "--host", "https://A.example/")
    assert gone.stdout.startswith("2 pages removed, 2 of them with a body; 0 waiting URLs given up.\n")
    assert "denied_hosts" in gone.stdout
    found = scrapy("search", "网页", "--jsonl", "--topic", "spiders")
    assert [json.loads(line)["url"] for line in found.stdout.splitlines()] == ["https://b.example/3"]
    nothing = scrapy("search", "倒排索引")
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (1, "", "Nothing found.\n")


def test_stats_and_the_others(harvest: Path, scrapy: Scrapy) -> None:
    told = scrapy("store", "stats").stdout
    assert "bodies                  3, " in told
    assert "spiders\n  3 fetches 2023-11-14 to 2023-11-14\n  3 kept, 0 off topic, 0 duplicates" in told
    assert scrapy("store", "index").stdout == "3 pages indexed, 3 in the index.\n"
    assert scrapy("store", "index").stdout == "0 pages indexed, 3 in the index.\n"
    assert " MB before, " in scrapy("store", "vacuum").stdout
    assert "as before" in scrapy("store", "upgrade").stdout
    assert scrapy("store", "forget", "--older-than", "1d").stdout.startswith("3 pages removed")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("store",), "stats|vacuum|forget|upgrade|index"),
        (("store", "destroy"), "stats|vacuum|forget|upgrade|index"),
        (("store", "forget"), "--older-than"),
        (("store", "forget", "--older-than", "long"), "90d"),
        (("store", "forget", "--host", "a b"), "example.com"),
        (("store", "forget", "--host", "a.example", "--topic", "cooking"), "cooking"),
        (("store", "stats", "--host", "a.example"), "store forget"),
        (("search",), "name the words"),
        (("search", "的"), "no word"),
        (("search", "网页", "--limit", "0"), "--limit"),
        (("search", "网页", "--topic", "cooking"), "spiders"),
    ],
)
def test_mistakes(harvest: Path, scrapy: Scrapy, arguments: tuple[str, ...], words: str) -> None:
    done = scrapy(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [("search", "网页"), ("store", "stats"), ("store", "vacuum"), ("store", "upgrade")])
def test_no_harvest(tmp_path: Path, scrapy: Scrapy, command: tuple[str, ...]) -> None:
    done = scrapy(*command)
    assert done.returncode == 2
    assert "there is no harvest" in done.stderr
    assert not (tmp_path / "harvest.db").exists()
