"""`zhuti label TOPIC --ask quality`, and what an export does with the model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from crawler.errors import LabelError
from crawler.reader.html.urls import host
from tests.commands.conftest import Run, fill, run as run
from tests.crawls import Crawl
from tests.model_server import model
from zhuti.export.command import Command as Export
from zhuti.label.command import Command as Label
from zhuti.quality import session
from zhuti.quality.grades import GradedText, add, read

LONG, SHORT = "首先选一个基准，因此小的数在左边。" * 30, "优惠！购买热线。"


@pytest.fixture
def harvest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Thirty pages of five hosts, half of them long. The folder."""
    monkeypatch.chdir(tmp_path)
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    fill(crawl, {f"https://h{n % 5}.example/{n}": (f"第{n}页", (LONG, SHORT)[n % 2] + str(n)) for n in range(30)})
    crawl.database.close()
    return tmp_path


def answers(monkeypatch: pytest.MonkeyPatch, keys: list[str]) -> None:
    """What a person presses, one after the other, then q."""
    pressed = iter(keys)
    monkeypatch.setattr(session.ask_person, "__defaults__", (lambda prompt: next(pressed, "q"),))


def test_a_person_grades(harvest: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, ["4", "x", "0", "s", "q"])
    done = run(Label(), "spiders", "--ask", "quality")
    assert done.status == 0
    assert "5  thorough and clear" in done.out
    assert "Grades so far: 2; a model of quality is learned from 20 on" in done.out
    grades = read(harvest / "data" / "quality.jsonl")
    assert [one.grade for one in grades] == [4, 0]
    assert len({host(one.url) for one in grades}) == 2
    answers(monkeypatch, ["3"] * 40)
    done = run(Label(), "spiders", "--ask", "quality")
    assert "data/quality.jsonl: 28" in done.out and "Nothing is left to ask about." in done.out
    assert "QUALITY_MODEL=data/quality.model.json" in done.out
    assert len(read(harvest / "data" / "quality.jsonl")) == 30


def test_a_model_grades(harvest: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def reply(rules: str, page: str) -> str:
        codes = re.findall(r"^([0-9a-f]{8}) - ", rules, re.MULTILINE)
        return codes[4 if "基准" in page else 0]

    answers(monkeypatch, ["4", "1", "q"])
    run(Label(), "spiders", "--ask", "quality")
    with model(reply) as (url, asked):
        monkeypatch.setattr("crawler.settings.LABELLER_URL", url)
        monkeypatch.setattr("crawler.settings.LABELLER_MODEL", "m")
        done = run(Label(), "spiders", "--ask", "quality", "--ask-model", "3", "--agreement", "1")
        assert "m is at most one grade from yours on" in done.out
        done = run(Label(), "spiders", "--ask", "quality", "--ask-model", "20", "--agreement", "0")
        assert "data/quality.jsonl: 20" in done.out
    assert all("learn from the text" in question["messages"][0]["content"] for question in asked)
    grades = read(harvest / "data" / "quality.jsonl")
    assert all(one.grade == (4 if "基准" in one.body else 0) for one in grades if one.who == "model")


@pytest.mark.parametrize(
    ("least", "pages"),
    [("0", 30), ("0.3", 15)],
)
def test_export_by_quality(harvest: Path, run: Run, least: str, pages: int) -> None:
    assert run(Export(), "spiders", "c.jsonl", "--quality", least).status == 0
    lines = [json.loads(line) for line in Path("c.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == pages
    assert all((line["quality"] > 0.3) == ("基准" in line["body"]) for line in lines)
    assert f"left out: {30 - pages}" in Path("c.jsonl.README.md").read_text("utf-8")


def test_a_model_that_is_not_there(harvest: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.settings.QUALITY_MODEL", "absent.json")
    done = run(Export(), "spiders", "c.jsonl", "--quality", "0")
    assert done.status == 2 and "absent.json is not a quality model" in done.err


@pytest.mark.parametrize("arguments", [("--conflicts",), ("--export", "x.csv"), ("https://h0.example/0", "yes")])
def test_quality_goes_with_no_other_option(harvest: Path, run: Run, arguments: tuple[str, ...]) -> None:
    done = run(Label(), "spiders", *arguments, "--ask", "quality")
    assert done.status == 2 and "--ask quality goes with --ask-model N" in done.err


def test_a_persons_grade_counts_before_a_models(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    one, other = "https://a.example/", "https://b.example/"
    told = [(one, 1, "person"), (one, 5, "model"), (other, 2, "model"), (other, 3, "model"), (one, 0, "person")]
    add(path, [GradedText(url, "", "x", grade, 1.0, who) for url, grade, who in told])
    assert {graded.url: graded.grade for graded in read(path)} == {one: 0, other: 3}


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", '{"url": "u", "title": "", "body": "b", "grade": 6, "at": 1, "who": "person"}']
)
def test_a_line_that_is_no_grade(tmp_path: Path, line: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(LabelError, match="line 2, is not a grade"):
        read(path)
