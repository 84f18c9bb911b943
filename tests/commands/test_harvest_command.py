"""Mistakes of who harvests; the lists of topics, news and new seeds."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from crawler.bundled import TOPICS
from crawler.commands import harvest as harvest_command
from crawler.reasons import Code, Reason
from crawler.topic.files import Topic
from tests.commands.conftest import Run, fill
from tests.crawls import Crawl
from zhuti.news import command as news, report_command as report
from zhuti.seeding import command as seeds
from zhuti.topics import list_command as topics


@pytest.mark.parametrize(
    ("arguments", "files", "words"),
    [
        ((), {}, "has a [schedule]; add one"),
        (("--watch",), {}, "has a [schedule]; add one"),
        (("java",), {}, "has no [schedule]; add one"),
        (("--now",), {}, "give one topic"),
        (("java", "--watch"), {}, "give one topic"),
        (("java", "--new"), {}, "unknown option --new"),
        (("none",), {}, "unknown topic 'none'"),
        ((), {"bad.toml": "[schedule]\nevery = 6"}, "'schedule.every' is 6"),
    ],
)
def test_mistakes(tmp_path: Path, run: Run, arguments: tuple[str, ...], files: dict[str, str], words: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = run(harvest_command.Command(), *arguments)
    assert done.status == 2
    assert words in done.err


@pytest.fixture
def harvested(tmp_path: Path) -> Path:
    """A run of topic tea, whose file has a schedule; another topic was never crawled."""
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "tea")
    crawl.store.begin_run(1.7e9, 30)
    bodies = {f"https://new.example/{n}": (f"茶{n}", f"第{n}种茶的冲泡") for n in range(4)}
    fill(crawl, bodies, depth=1)
    crawl.store.end_run(1.7e9 + 60, Reason(Code.BUDGET))
    crawl.database.close()
    schedule = '[schedule]\ncron = "0 6 * * *"\n'
    (tmp_path / "tea.toml").write_text(f'keywords = ["茶"]\nseeds = ["https://old.example/"]\n{schedule}')
    (tmp_path / "水.toml").write_text(f'keywords = ["水"]\n{schedule}', encoding="utf-8")
    (tmp_path / "broken.toml").write_text("keywords = 3")
    return tmp_path


def test_topics(harvested: Path, run: Run) -> None:
    done = run(topics.Command())
    assert done.status == 0
    assert "broken.toml: 'keywords' must be" in done.err
    head, tea, water = (line.split() for line in done.out.splitlines())
    assert head == ["topic", "last", "run", "(UTC)", "next", "run", "(UTC)", "pages", "new", "rate", "trend"]
    assert tea == ["tea", "2023-11-14", "22:13,", "budget", "spent", "now", "4", "4", "1.00"], "no trend of one run"
    assert water == ["水", "none", "now", "0"]


def test_news(harvested: Path, run: Run) -> None:
    done = run(news.Command(), "tea", "--limit", "1", "--feed", str(harvested / "tea.xml"))
    assert done.status == 0
    told = ["4 pages are new:", "  茶3", "    https://new.example/3", "  and 3 more"]
    assert done.out.splitlines()[1:5] == told, "the total is complete, the list is short"
    assert (harvested / "tea.xml").read_text(encoding="utf-8").count("<entry>") == 4
    assert done.out.endswith(f"4 entries written to {harvested / 'tea.xml'}\n")


def test_seeds(harvested: Path, run: Run) -> None:
    done = run(seeds.Command(), "tea")
    assert done.out.splitlines()[0] == "https://new.example/"
    assert "4 of 4 pages on the topic" in done.out
    assert "--accept writes" in done.out
    done = run(seeds.Command(), "tea", "new.example", "--accept")
    assert (done.status, done.err) == (0, "")
    written = tomllib.loads((harvested / "tea.toml").read_text(encoding="utf-8"))
    assert written["seeds"] == ["https://old.example/", "https://new.example/"]
    assert run(seeds.Command(), "tea").out == "No new host qualifies as a seed yet.\n"


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        (topics, ("tea",), "wrong number of arguments; give [options]"),
        (news, (), "give TOPIC [--run ID]"),
        (news, ("water",), "this database has tea"),
        (news, ("tea", "--run", "7"), "topic 'tea' has no run 7; the newest: 1"),
        (news, ("tea", "--limit", "0"), "from 1 on"),
        (news, ("tea", "--webhook", "here"), "give an http(s) address"),
        (report, (), "give TOPIC [--run ID]"),
        (report, ("tea", "--run", "x"), "has no run x"),
        (seeds, (), "give TOPIC [HOST ...]"),
        (seeds, ("tea", "other.example"), "other.example is not among the hosts"),
        (seeds, ("tea", "a b"), "is not a host"),
    ],
)
def test_other_mistakes(harvested: Path, run: Run, command, arguments: tuple[str, ...], words: str) -> None:
    done = run(command.Command(), *arguments)
    assert done.status == 2
    assert words in done.err


def test_seeds_of_a_bundled_topic_go_into_a_file_that_extends_it(tmp_path: Path, run: Run) -> None:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "java")
    fill(crawl, {f"https://new.example/{n}": (f"{n}", f"第{n}篇") for n in range(4)}, depth=1)
    crawl.database.close()
    before = (TOPICS / "java.toml").read_bytes()
    done = run(seeds.Command(), "java", "--accept")
    assert (done.status, (TOPICS / "java.toml").read_bytes()) == (0, before)
    assert "https://new.example/" in Topic.load("java", tmp_path).seeds
