"""The table at the end of a crawl."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from scrapy.settings import Settings

from crawler.messages import speaking
from crawler.questions.forecast import LEAST_FETCHES, Outlook
from crawler.questions.runs import Run
from crawler.questions.totals import HostYield, IndexFileYield, Totals
from crawler.reasons import NONE, Code, Reason
from crawler.tell.outlook import still_waiting
from crawler.tell.summary import HOSTS_SHOWN, SEEDS_SHOWN, command_of, index_files, next_step, print_summary
from crawler.topic.files import Topic
from crawler.topic.vector import TopicVector

STORE = "postgresql+psycopg://me:secret@db.example/harvest"
RUN = Run(2, 0.0, None, budget=0, ended=NONE, requests=7, fetched=3, new=1, robots=6)
SETTINGS = Settings({"STORE_URL": STORE, "PAGE_BUDGET": 10, "ANALYSE_TIMEOUT": 20.0})
TOPIC = Topic("java", Path("java.toml"), keywords={"java": 1.0})
REPORT = Totals(
    topic="java",
    fetched=10,
    kept=4,
    off_topic=5,
    duplicates=1,
    mean_similarity=0.5,
    waiting=30,
    outlook=Outlook(next_rate=0.25, last_rate=0.2, left=7.4, least=2.8, fetches=LEAST_FETCHES),
    index_files=IndexFileYield(opened=2, bytes=1_500_000, listed=40, kept=3),
    best_hosts=tuple(HostYield(f"h{n}.example", judged=3, kept=2) for n in range(HOSTS_SHOWN + 1)),
    run=RUN,
    failed_seeds=tuple((f"https://down{n}.example/", Reason(Code.STATUS, status=502)) for n in range(SEEDS_SHOWN + 2)),
    index_requests=2,
    failures=((Reason.of("redirects to something other than an http(s) address: 'javascript:[/x]' \x1b[2J"), 3),),
)


def test_what_a_server_wrote_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """`[/x]` would be markup of rich, which raises; an escape sequence would reach the terminal."""
    print_summary(REPORT, SETTINGS, TOPIC, Reason(Code.BUDGET))
    told = capsys.readouterr().out
    assert "3  redirects to something other than an" in told.replace("\n", " ")
    assert "\x1b" not in told
    assert "budget spent" in told
    assert f"h{HOSTS_SHOWN - 1}.example  2 of 3" in told
    assert f"h{HOSTS_SHOWN}.example" not in told
    assert "secret" not in told
    assert "3 pages fetched, 1 new on topic when they came" in told, "this run, beside the topic's life"
    assert "7 requests, 2 of them for index files" in told
    assert "waited" not in told
    assert "6 more for robots.txt, tdmrep.json and ai.txt" in told
    assert "https://down0.example/  status 502" in told
    assert "and 2 more" in told


def test_the_only_run_is_the_whole_harvest(capsys: pytest.CaptureFixture[str]) -> None:
    only = replace(REPORT, run=replace(RUN, fetched=REPORT.fetched), failed_seeds=())
    print_summary(only, SETTINGS, TOPIC, NONE)
    told = capsys.readouterr().out
    assert ("new on topic" in told, "seeds without a page" in told) == (False, False)


@pytest.mark.parametrize(("kept", "doubtful", "is_told"), [(40, 5, True), (60, 5, False), (9, 4, False)])
def test_many_doubtful_pages(capsys: pytest.CaptureFixture[str], kept: int, doubtful: int, is_told: bool) -> None:
    print_summary(replace(REPORT, kept=kept, doubtful=doubtful), SETTINGS, TOPIC, NONE)
    assert (f"{doubtful} of them are below 0.5" in capsys.readouterr().out) == is_told


def test_how_long_it_waited(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(replace(REPORT, waited=61.7), SETTINGS, TOPIC, NONE)
    assert "62 seconds waited for better pages" in capsys.readouterr().out


def test_index_files() -> None:
    assert index_files(REPORT.index_files) == "2 read (1.5 MB); they list 40 new URLs, 3 of them kept"


def test_waiting() -> None:
    assert still_waiting(30, REPORT.outlook) == "30; of the next 30, about 8 are expected to be on topic"
    assert still_waiting(30, replace(REPORT.outlook, fetches=LEAST_FETCHES - 1)) == "30"
    assert still_waiting(3000, None) == "3,000"


@pytest.mark.parametrize(
    ("kept", "waits", "topic", "failures", "words"),
    [
        (
            4,
            30,
            TOPIC,
            (),
            "zhuti export java corpus.jsonl",
        ),
        (0, 30, TOPIC, (), "-s PAGE_BUDGET=20"),
        (0, 0, TOPIC, (), "lower 'threshold'"),
        (0, 0, replace(TOPIC, allowed_hosts=frozenset({"a.example"})), (), "'allowed_hosts' in java.toml"),
        (0, 0, TOPIC, ((Reason(Code.ROBOTS), 9),), "robots.txt forbids most"),
        (0, 0, TOPIC, ((Reason(Code.SLOW), 2),), "-s ANALYSE_TIMEOUT=60"),
    ],
)
def test_next_step(kept: int, waits: int, topic: Topic, failures: tuple[tuple[Reason, int], ...], words: str) -> None:
    told = next_step(replace(REPORT, kept=kept, waiting=waits, failures=failures), SETTINGS, topic)
    assert words in told


def test_an_unfinished_crawl_without_a_page_on_topic_goes_on() -> None:
    told = next_step(replace(REPORT, kept=0, fetched=3), SETTINGS, TOPIC)
    assert "run the same command to continue" in told


def test_words_of_a_topic_that_was_learned_from_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    topic = Topic("tea", Path("tea.toml"), vector=TopicVector({"绿茶": 0.5, "茶叶": 1.0}))
    print_summary(REPORT, SETTINGS, topic, Reason(Code.FINISHED))
    assert "茶叶, 绿茶 (all: zhuti topic show tea)" in capsys.readouterr().out


def test_a_joint_topic_names_what_can_be_called(capsys: pytest.CaptureFixture[str]) -> None:
    tea, boats = (Topic(name, Path(f"{name}.toml"), vector=TopicVector({name: 1.0})) for name in ("tea", "boats"))
    joint = Topic("tea+boats", Path("tea+boats.toml"), vector=TopicVector({"tea": 1.0}), members=(tea, boats))
    print_summary(REPORT, SETTINGS, joint, Reason(Code.FINISHED))
    told = capsys.readouterr().out
    assert "topic show" not in told and "Next: zhuti export tea tea.jsonl" in told


def test_an_error_says_itself_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(REPORT, SETTINGS, TOPIC, NONE)
    assert "Next:" not in capsys.readouterr().out


def test_next_step_of_a_later_run() -> None:
    settings = Settings({"STORE_URL": "sqlite:///data/harvest.db", "REVISIT": "True"})
    assert next_step(REPORT, settings, TOPIC) == "zhuti news java"


@pytest.mark.parametrize(
    ("store", "priority", "words"),
    [
        ("sqlite:///mine.db", "cmdline", "zhuti news java -s STORE_URL=sqlite:///mine.db"),
        (
            "sqlite:///mine.db",
            "project",
            "zhuti news java",
        ),
        (STORE, "project", "zhuti news java"),
        (STORE, "cmdline", "zhuti news java, with the -s STORE_URL=... of this command"),
    ],
)
def test_where_the_next_command_finds_the_harvest(store: str, priority: str, words: str) -> None:
    assert command_of(["news", "java"], Settings({"STORE_URL": store}, priority)) == words


def test_a_path_is_whole_and_the_border_straight(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    path = f"sqlite:////home/me/{'folder/' * 12}harvest.db"
    with speaking("zh"):
        print_summary(REPORT, Settings({"STORE_URL": path, "PAGE_BUDGET": 10}), TOPIC, Reason(Code.FINISHED))
    told = capsys.readouterr().out
    assert path in re.sub(r"[│\s]", "", told)
    frame = [line for line in told.splitlines() if line.startswith(("│", "┌", "└"))]
    assert len({cell_len(line) for line in frame}) == 1, "Chinese takes two columns"
