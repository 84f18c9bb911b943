from __future__ import annotations

from pathlib import Path

import pytest

from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.labels.labels import Answer, Label, Who, add
from crawler.reasons import NONE, Code, Reason
from crawler.records import Outcome, Visit
from crawler.scorers.registry import scorer
from crawler.store.names import topic_id_of
from crawler.store.shared_store import store_for
from tests.commands.conftest import Run
from tests.crawls import analysis
from zhuti.why.command import Command

HOME, POST, LIST, OLD = (f"https://a.example/{name}" for name in ("", "post", "list", "old"))


@pytest.fixture
def crawl(tmp_path: Path) -> None:
    """A home page, kept, with three links, of which one was dropped, one leads elsewhere, one waits."""
    with Database(f"sqlite:///{tmp_path / 'harvest.db'}") as database:
        frontier = Frontier(database, "t", delay=0.0)
        harvest = store_for(database)(database, frontier, scorer("best-first"))
        harvest.restore()
        frontier.seed([HOME], now=1.7e9)
        [claim] = frontier.claim(1, 1.7e9)
        links = {POST: 0.5, LIST: 0.4, OLD: 0.3}
        harvest.commit(
            [Visit(claim, Outcome.KEPT, 1.7e9, 200, size=9, analysis=analysis("正文说渡口的船", links, 0.6))]
        )
        for now, reason in ((1.7e9 + 1, Reason.of("less similar than 0.3")), (1.7e9 + 2, NONE)):
            [claim] = frontier.claim(1, now)
            if reason:
                judged = analysis("列表", {OLD: 0.9, f"{HOME}\x1b[31m": 0.1}, 0.1)
                harvest.commit([Visit(claim, Outcome.OFF_TOPIC, now, 200, reason, analysis=judged)])
            else:
                harvest.commit([Visit(claim, Outcome.FAILED, now, 404, Reason(Code.STATUS, status=404))])


def test_kept(crawl: None, run: Run) -> None:
    told = run(Command(), "https://A.example:443/#top")
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(
        f"{HOME}\ntopic t: kept, similarity 0.774: '题目'\nfound     2023-11-14 22:13:20 as a seed\n"
    )
    assert "\nkeywords  " in told.out
    assert "渡口" in told.out
    assert "linked by no judged page" in told.out
    assert "score     the score of a seed, above that of any link, when it was fetched" in told.out


def test_what_was_said(crawl: None, run: Run, tmp_path: Path) -> None:
    with Database(f"sqlite:///{tmp_path / 'harvest.db'}") as database, database.transaction() as connection:
        said = [Label(POST, Answer.NO, 1.7e9 + 60, Who.MODEL), Label(POST, Answer.YES, 1.7e9 + 120)]
        add(connection, topic_id_of(connection, "t"), said)
    done = run(Command(), POST, "--quick")
    assert "22:14:20 a model: no\n" in done.out and "22:15:20 a person: yes\n" in done.out
    assert " label " not in run(Command(), HOME, "--quick").out


def test_dropped(crawl: None, run: Run) -> None:
    out = run(Command(), POST).out
    assert "topic t: dropped, similarity 0.016: less similar than 0.3" in out
    assert "keywords" not in out
    assert f"found     2023-11-14 22:13:20 on {HOME}" in out
    assert "1 link from the nearest seed\n" in out
    assert f"'锚0' on {HOME} (relevance of its words 0.000; page kept, similarity 0.774)" in out
    assert "+0.3000  nearness of its page" in out


def test_waits(crawl: None, run: Run) -> None:
    out = run(Command(), "a.example/old").out
    assert "topic t: waits: 0 of 2 waiting URLs rank before it, 0 on its host" in out
    assert "linked by 2 judged pages, best first:" in out
    assert "score     0.3000 in the queue" in out
    assert "1 in order, by best-first" in out


def test_the_other_scheme(crawl: None, run: Run) -> None:
    assert run(Command(), POST.replace("https", "http")).out.startswith(f"{POST}\ntopic t: dropped")


def test_quick(crawl: None, run: Run) -> None:
    out = run(Command(), OLD, "--quick").out
    assert "linked by 2" in out
    assert "score" not in out


def test_given_up(crawl: None, run: Run) -> None:
    assert "topic t: given up (failed): status 404" in run(Command(), LIST).out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give URL [--topic T]"),
        ((HOME, POST), "give URL [--topic T]"),
        (("mailto://a",), "is not an http(s) address"),
        (("https://a.example/pos",), f"the closest known one is {POST}"),
        ((HOME, "--topic", "cooking"), "this database has t"),
    ],
)
def test_mistakes(crawl: None, run: Run, arguments: tuple[str, ...], words: str) -> None:
    told = run(Command(), *arguments)
    assert told.status == 2
    assert words in told.err
    assert told.err.count("\n") <= 1


def test_no_harvest(run: Run) -> None:
    told = run(Command(), HOME)
    assert (told.status, told.out) == (2, "")
    assert "no harvest at" in told.err
