"""A start goes on from what the link scorer had learned at the end of the last run."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

import crawler
from crawler.database.schema import judgements, scorer_states
from crawler.errors import StoreError
from crawler.reasons import Code, Reason
from crawler.records import Visit
from crawler.scorers.base import LinkScorer
from crawler.scorers.learned.url_table import Column
from crawler.scorers.registry import crawl_scorer
from crawler.store import crawl_store, scorer_states as states
from crawler.store.compression import MAX_VALUE, Codec
from crawler.store.crawl_store import CrawlStore
from crawler.store.shared_store import store_for
from tests.crawls import Crawl
from zhuti.upkeep.forget import Order, forget

Made = Callable[..., Visit]


class Watched:
    """Counts the lessons of a start."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lessons = 0
        original = CrawlStore._teach

        def teach(store: CrawlStore, lesson: object) -> object:
            self.lessons += 1
            return original(store, lesson)  # type: ignore[arg-type]

        monkeypatch.setattr(CrawlStore, "_teach", teach)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


def start(crawl: Crawl, scorer: str = "ipagerank-learned") -> LinkScorer:
    """As a new process does; returns the scorer at work."""
    crawl.store = store_for(crawl.database)(crawl.database, crawl.frontier, crawl_scorer(scorer))
    crawl.store.restore()
    crawl.store.begin_run(5.0)
    return crawl.store._scorer


def visits(crawl: Crawl, kept: Made, off_topic: Made, number: int, seed: int = 0) -> None:
    """Fetches what is best, `number` times; each page links to some others."""
    chance = random.Random(seed)
    for _ in range(number):
        for claim in crawl.claim(2):
            links = {f"http://h{to % 5}.example/{to}": chance.random() for to in chance.sample(range(300), 12)}
            crawl.store.commit([(kept if chance.random() < 0.6 else off_topic)(claim, links=links)])


def scores(crawl: Crawl) -> dict[str, float]:
    with crawl.database.transaction(shared=True) as connection:
        return dict(connection.exec_driver_sql("SELECT url, score FROM urls ORDER BY url").all())  # type: ignore[arg-type]


@pytest.fixture
def harvest(crawl: Crawl, kept: Made, off_topic: Made) -> Crawl:
    start(crawl)
    crawl.frontier.seed([f"http://h{host}.example/" for host in range(5)])
    visits(crawl, kept, off_topic, 40)
    return crawl


def test_the_next_start_learns_nothing_again(harvest: Crawl, watched: Watched) -> None:
    before = harvest.store._scorer
    harvest.store.end_run(9.0, Reason(Code.BUDGET))
    told = scores(harvest)
    after = start(harvest)
    assert watched.lessons == 0
    assert after is not before
    assert scores(harvest) == told


def test_it_goes_on_as_a_run_that_has_learned_all_again(harvest: Crawl, kept: Made, off_topic: Made) -> None:
    """What follows is the same to the last bit."""
    taught = crawl_scorer("ipagerank-learned")
    harvest.store.end_run(9.0, Reason(Code.BUDGET))
    with harvest.database.transaction(shared=True) as connection:
        for lesson in harvest.store._log.history(connection):
            taught.observe(lesson.news)  # type: ignore[arg-type]
            taught.refresh()
    restored = start(harvest)
    for url, score in scores(harvest).items():
        assert restored.chance(url, score) == taught.chance(url, score)


def test_after_a_kill_only_what_came_later_is_learned(
    harvest: Crawl, kept: Made, off_topic: Made, watched: Watched
) -> None:
    harvest.store.end_run(9.0, Reason(Code.BUDGET))
    start(harvest)
    visits(harvest, kept, off_topic, 3, seed=1)
    watched.lessons = 0
    start(harvest)
    assert 0 < watched.lessons <= 6


def test_a_long_run_keeps_it_now_and_then(
    harvest: Crawl, kept: Made, off_topic: Made, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    harvest.store.keep_scorer()
    start(harvest)
    assert watched.lessons > 40, "too little to keep it for"
    monkeypatch.setattr(crawl_store, "KEEP_EVERY", 5)
    visits(harvest, kept, off_topic, 5, seed=2)
    harvest.store.keep_scorer()
    visits(harvest, kept, off_topic, 1, seed=3)
    watched.lessons = 0
    start(harvest)
    assert 0 < watched.lessons <= 2, "what came after it"


def judged_otherwise(crawl: Crawl) -> None:
    with crawl.database.transaction() as connection:
        connection.execute(judgements.update().where(judgements.c.url_id == 1).values(nearness=0.123))


def forgotten(crawl: Crawl) -> None:
    forget(crawl.database, Order(host="h1.example"))


def damaged(crawl: Crawl) -> None:
    with crawl.database.transaction() as connection:
        connection.execute(scorer_states.update().values(state=b"no state"))


def of_gigabytes(crawl: Crawl) -> None:
    """More than a stored value may hold, and than MOST_TIMES its size."""
    with crawl.database.transaction() as connection:
        connection.execute(scorer_states.update().values(state=Codec().pack(bytes(MAX_VALUE + 1))))


def of_another_version(crawl: Crawl) -> None:
    with crawl.database.transaction() as connection:
        connection.execute(scorer_states.update().values(version="0.0.1 1"))


@pytest.mark.parametrize("spoil", [judged_otherwise, forgotten, damaged, of_gigabytes, of_another_version])
def test_what_no_longer_fits_is_learned_again(harvest: Crawl, watched: Watched, spoil: Callable[[Crawl], None]) -> None:
    harvest.store.end_run(9.0, Reason(Code.BUDGET))
    spoil(harvest)
    start(harvest)
    assert watched.lessons > 40


def test_another_scorer_learns_all(harvest: Crawl, watched: Watched) -> None:
    harvest.store.end_run(9.0, Reason(Code.BUDGET))
    assert start(harvest, "best-first").name == "best-first"
    assert watched.lessons > 40


def test_what_was_forgotten_during_the_run_is_not_kept(harvest: Crawl) -> None:
    forgotten(harvest)
    harvest.store.end_run(9.0, Reason(Code.BUDGET))
    with harvest.database.transaction(shared=True) as connection:
        assert states.kept(connection, harvest.frontier.topic_id, "ipagerank-learned") is None
        assert connection.exec_driver_sql("SELECT count(*) FROM scorer_states").scalar_one() == 0


def test_what_was_learned_and_not_stored_is_not_kept(
    harvest: Crawl, kept: Made, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit that fails, of a full disk for instance, comes after the scorer's lesson."""
    with monkeypatch.context() as patch, pytest.raises(StoreError, match="full"):
        patch.setattr(CrawlStore, "_acknowledge", Mock(side_effect=StoreError("the disk is full")))
        harvest.store.commit([kept(claim) for claim in harvest.claim(1)])
    harvest.store.end_run(9.0, Reason(Code.FAILED))
    start(harvest)
    assert watched.lessons > 40


def test_pages_that_were_judged_again_meanwhile(harvest: Crawl) -> None:
    harvest.store.count_again()
    harvest.store.end_run(9.0, Reason(Code.BUDGET))
    with harvest.database.transaction(shared=True) as connection:
        assert states.kept(connection, harvest.frontier.topic_id, "ipagerank-learned") is None


ONE_MORE = {  # a column of evidence, as one adds it to the default link scorer
    "url_table.py": ("    HANDED = 23", "    QUERY = 24  # 1 when its address has a query\n    HANDED = 23"),
    "features.py": ('    N_("importance"): 0.0,', '    N_("query"): 0.5,\n    N_("importance"): 0.0,'),
    "evidence.py": ('            "importance":', '            "query": v[:, Column.QUERY],\n            "importance":'),
}
GO_ON = """
import logging, sys
from crawler.records import Outcome, Visit
from crawler.scorers.learned.url_table import Column
from tests.crawls import Crawl, analysis
from tests.store.test_scorer_states import start, visits

def kept(claim, links):
    return Visit(claim, Outcome.KEPT, 9.0, 200, analysis=analysis(claim.url, links))

logging.basicConfig(level="INFO")
crawl = Crawl(sys.argv[1])
start(crawl)
visits(crawl, kept, kept, 20, seed=1)
print(len(Column), crawl.store.fetched())
"""


def test_a_scorer_with_one_more_column_of_evidence_learns_all_again(
    tmp_path: Path, kept: Made, off_topic: Made
) -> None:
    """A harvest of the program before it opens, with one line in the log, and the crawl goes on."""
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}")
    start(crawl)
    crawl.frontier.seed([f"http://h{host}.example/" for host in range(5)])
    visits(crawl, kept, off_topic, 40)
    crawl.store.end_run(9.0, Reason(Code.BUDGET))
    fetched = crawl.store.fetched()
    crawl.database.close()
    changed = tmp_path / "changed" / "crawler"
    shutil.copytree(Path(crawler.__file__).parent, changed, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (old, new) in ONE_MORE.items():
        module = changed / "scorers" / "learned" / name
        before = module.read_text("utf-8")
        assert before.count(old) == 1
        module.write_text(before.replace(old, new), "utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(changed.parent), str(Path.cwd())])}
    line = [sys.executable, "-P", "-c", GO_ON, crawl.url]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("learns all pages again") == 1
    columns, now = map(int, done.stdout.split())
    assert columns == len(Column) + 1
    assert now > fetched
