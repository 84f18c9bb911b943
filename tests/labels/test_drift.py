"""Whether pages that were kept of late have moved away from the topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from crawler.database.schema import runs
from crawler.errors import StoreError
from crawler.labels.drift import LEAST_PAGES, Drift, Sampled, drift, drift_of, last_drifts, note_drift, noted_drift
from crawler.records import Outcome, Visit
from crawler.store.names import topic_id_of
from crawler.topic.files import Topic
from tests.crawls import Crawl, analysis

NEW = ("股票", "基金", "利率")


def pages(nearness: float, words: tuple[str, ...] = (), hosts: int = 4, count: int = 2 * LEAST_PAGES) -> list[Sampled]:
    said = frozenset({"爬虫", "网页", *words})
    return [Sampled(f"h{n % hosts}.example", nearness + n / 1000, said) for n in range(count)]


@pytest.mark.parametrize(
    ("late", "words"),
    [
        (pages(0.4, NEW), tuple(sorted(NEW))),
        (pages(0.4), None),  # less similar, as always
        (pages(0.9, NEW), None),  # as similar as before
        (pages(0.4, NEW[:2]), None),
        (pages(0.4, NEW, hosts=2), None),  # the habits of two hosts
        (pages(0.4, NEW, count=LEAST_PAGES - 1), None),
        (pages(0.4) * 9 + pages(0.4, NEW), None),  # one page in ten
    ],
)
def test_drift(late: list[Sampled], words: tuple[str, ...] | None) -> None:
    found = drift(pages(0.9), late, ["爬虫"])
    assert (found and found.words) == words


def test_words_of_the_topic_are_none() -> None:
    assert drift(pages(0.9), pages(0.4, NEW), NEW) is None


@pytest.fixture
def crawl(database_url: str) -> Iterator[Crawl]:
    crawl = Crawl(database_url, "spiders")
    crawl.store.begin_run(1.0)
    yield crawl
    crawl.database.close()


def keep(crawl: Crawl, name: str, body: str, nearness: float) -> None:
    crawl.frontier.seed([f"https://h{n % 4}.example/{name}{n}" for n in range(30)], now=0)
    visits = [
        Visit(claim, Outcome.KEPT, 1.0, 200, size=1, analysis=analysis(f"{body}第{n}页", {}, nearness + n / 1000))
        for n, claim in enumerate(crawl.claim())
    ]
    crawl.store.commit(visits)


def test_in_a_harvest(crawl: Crawl, tmp_path: Path) -> None:
    path = tmp_path / "spiders.toml"
    path.write_text('keywords = ["爬虫", "链接"]\nstruck = ["基金"]\n', encoding="utf-8")
    topic = Topic.load(path).learn()
    keep(crawl, "a", "爬虫沿着链接访问网页，把网页存进仓库。", 0.9)
    with crawl.database.transaction() as connection:
        topic_id = topic_id_of(connection, "spiders")
        assert drift_of(connection, topic_id, topic) is None, "there is nothing to compare with"
    keep(crawl, "b", "爬虫说股票和基金都跌了，利率却没有变，债券也没有变。", 0.4)
    with crawl.database.transaction() as connection:
        found = drift_of(connection, topic_id, topic)
        assert found is not None and found.now < found.before
        assert {"股票", "利率"} <= set(found.words) and not {"基金", "爬虫", "网页"} & set(found.words)
        note_drift(connection, topic_id, found)
        assert noted_drift(connection, 1) == found
        assert last_drifts(connection) == {"spiders": found}
    crawl.store.begin_run(2.0)
    with crawl.database.transaction() as connection:
        assert last_drifts(connection) == {}, "of the last run alone"


@pytest.mark.parametrize("value", ["", "[]", '{"before": 1}', '{"before": "x", "now": 0, "words": []}'])
def test_a_file_of_a_stranger(crawl: Crawl, value: str) -> None:
    with crawl.database.transaction() as connection:
        connection.execute(update(runs).values(drift=value))
        with pytest.raises(StoreError, match="damaged"):
            noted_drift(connection, 1)


def test_as_a_sentence() -> None:
    told = "the pages kept last are less similar to the topic than those before (0.40, before 0.80), and many say: a, b"
    assert str(Drift(0.8, 0.4, ("a", "b"))) == told
