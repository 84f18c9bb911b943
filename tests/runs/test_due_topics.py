"""Which topics are due."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from scrapy.settings import Settings

from crawler.errors import TopicError
from crawler.questions.runs import Run
from crawler.reasons import NONE, Code, Reason
from crawler.runs.due import by_due, due, is_cut, scheduled
from crawler.runs.harvester import given
from crawler.tell.command import log_as_json
from crawler.topic.files import Topic
from crawler.topic.schedule import Schedule
from zhuti.topics.topic_list import trend

NOW = 1e9
WHOLE, KILLED, STOPPED = (
    (NOW - 99.0, Reason(Code.FINISHED)),
    (NOW - 99.0, Reason(Code.KILLED)),
    (NOW - 99.0, Reason(Code.STOPPED)),
)
OPEN = (None, NONE)
TEA = Topic("tea", Path("tea.toml"), schedule=Schedule(every=3600.0))


def runs(*ends: tuple[float | None, str]) -> list[Run]:
    return [Run(9 - place, NOW - 100, at, 30, why) for place, (at, why) in enumerate(ends)]


@pytest.mark.parametrize(
    ("ends", "cut"),
    [
        ((), False),
        ((WHOLE,), False),
        ((STOPPED,), False),
        ((KILLED,), True),
        ((OPEN,), True),
        ((OPEN, WHOLE), True),
        ((WHOLE, KILLED), False),
        ((KILLED, KILLED), False),
        ((OPEN, KILLED, WHOLE), False),
    ],
)
def test_a_killed_run_is_made_good_once(ends: tuple[tuple[float | None, str], ...], cut: bool) -> None:
    found = runs(*ends)
    assert is_cut(found) is cut
    assert (due(TEA, found, found[-1].started_at if found else None, NOW) <= NOW) is (cut or not ends)


def test_without_a_schedule() -> None:
    with pytest.raises(TopicError, match=r"tea\.toml has no \[schedule\].*--now"):
        due(Topic("tea", Path("tea.toml")), [], None, NOW)


def test_scheduled(tmp_path: Path) -> None:
    for name, text in (("a", '[schedule]\nevery = "1d"'), ("b", ""), ("c", "[schedule]"), ("example", "schedule = 1")):
        (tmp_path / f"{name}.toml").write_text(f'keywords = ["x"]\n{text}')
    topics, errors = scheduled(tmp_path)
    assert [topic.name for topic in topics] == ["a"]
    assert [str(error).partition(": ")[0] for error in errors] == [
        str(tmp_path / f"{n}.toml") for n in ("c", "example")
    ]
    assert scheduled(tmp_path / "none") == ([], [])


def test_the_database_is_made(tmp_path: Path, database_url: str) -> None:
    assert by_due([TEA], database_url, NOW) == [(TEA, NOW)]
    assert by_due([TEA], f"sqlite:///{tmp_path}/new/h.db", NOW) == [(TEA, NOW)]


def test_trend() -> None:
    assert trend([]) == ""
    assert trend([Run(1, 0, 0, 0, NONE, new=new) for new in (0, 7, 3, 14)]) == "█▂▄▁"


def test_a_log_as_json_is_that_of_the_runs_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.root, "handlers", [*logging.root.handlers])
    log = tmp_path / "log"
    settings = Settings({"LOG_JSON": True, "LOG_FILE": str(log)}, priority="cmdline")
    log_as_json(settings)
    logging.root.handlers[-1].close()
    assert not settings.getbool("LOG_ENABLED"), "Scrapy's own handler would write each line once more"
    assert sorted(given(settings)) == ["-s", "-s", f"LOG_FILE={log}", "LOG_JSON=True"]
