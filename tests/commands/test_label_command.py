"""`zhuti label`: by URL, from and to files, one page after the other; and what `zhuti rejudge` makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.settings import Settings

from crawler.database.database import Database
from tests.commands.conftest import Run
from zhuti.label import session as label_session
from zhuti.label.command import Command as Label

A, UNKNOWN = "https://a.example/1", "https://new.example/never-fetched"


def test_by_url_and_by_file(harvest: Path, run: Run, tmp_path: Path) -> None:
    assert run(Label(), "spiders", A, "yes").status == 0
    assert run(Label(), "spiders", UNKNOWN, "no").status == 0, "it counts when the page comes"
    assert run(Label(), "spiders", A, "no").status == 0
    assert "a.example/1\n    yes, no\n1 pages" in run(Label(), "spiders", "--conflicts").out
    file = str(tmp_path / "labels.csv")
    assert run(Label(), "spiders", "--export", file).out == f"3 answers written to {file}\n"
    assert run(Label(), "spiders", "--import", file).out == "0 answers stored; 3 were there already\n"
    assert run(Label(), "other", "--import", file).err.count("is a label of topic 'spiders', not of 'other'") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((A, "maybe"), "'maybe' is not an answer"),
        (("nonsense", "yes"), "'nonsense' is not an http(s) URL"),
        (("--export", "labels.txt"), "as .csv or .jsonl"),
        (("--import", "labels.csv"), "labels.csv cannot be used"),
        (("--ask-model", "0"), "give a number of pages"),
        (("--ask-model", "5", "--agreement", "90"), "a share from 0 to 1"),
        (("--agreement", "0.9"), "belongs to --ask-model"),
    ],
)
def test_mistakes(harvest: Path, run: Run, arguments: tuple[str, ...], says: str) -> None:
    done = run(Label(), "spiders", *arguments)
    assert (done.status, says in done.err) == (2, True), done.err


def test_labels_are_written_beside_a_crawl(harvest: Path, run: Run) -> None:
    with Database(f"sqlite:///{harvest}"):
        assert run(Label(), "spiders", A, "yes").status == 0


def test_before_the_first_crawl(run: Run, tmp_path: Path) -> None:
    assert run(Label(), "spiders", A, "yes").status == 0
    assert "1 answers written" in run(Label(), "spiders", "--export", str(tmp_path / "x.jsonl")).out


def test_one_page_after_the_other(harvest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "spiders.toml").write_text('[keywords]\n"爬虫" = 1.0\n"网页" = 0.5\n', encoding="utf-8")
    settings = Settings({"TOPICS_DIR": str(tmp_path), "STORE_URL": f"sqlite:///{harvest}"}, priority="cmdline")
    settings.setmodule("crawler.settings")
    keys = iter(["x", "y", "u", "y", "n", "s", "n"])
    assert label_session.label("spiders", settings, lambda _: next(keys)) == 0
    told = capsys.readouterr().out
    assert "1/3  " in told and "near the threshold" in told
    assert "3 stored pages judged again" in told
