"""Whether stored pages were judged by what their topic is today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from crawler.labels.judge_again import SAMPLE, JudgingAgain, has_moved, judged_first, until_done
from crawler.records import Outcome, Visit
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.crawls import Crawl, analysis

TEXTS = (
    "爬虫读网页，网页有链接，也有图片、标题、作者和日期。",
    "水烧开后放进茶叶，等三分钟，倒进杯子，再看一个网页。",
    "山路很长，一只爬虫走过，茶还热着，朋友说起旧事。",
)


@pytest.fixture
def crawl(database_url: str, topic: Topic) -> Iterator[Crawl]:
    crawl = Crawl(database_url, topic.name)
    crawl.frontier.seed([f"https://h{n}.example/" for n in range(SAMPLE + 3)], now=0)
    texts = {claim: analysis(f"第{claim.id}页：{TEXTS[claim.id % 3]}", {}) for claim in crawl.claim()}
    visits = [Visit(claim, Outcome.KEPT, 1.0, 200, analysis=found) for claim, found in texts.items()]
    crawl.store.commit(visits)
    until_done(crawl.database, 1, JudgingAgain(topic, Judge))
    yield crawl
    crawl.database.close()


def moved(crawl: Crawl, topic: Topic) -> bool:
    with crawl.database.transaction(shared=True) as connection:
        first, judge = judged_first(connection, 1), Judge(topic)
    return has_moved(first, [judge.judge(page.extraction, page.subjects) for page, _ in first])


def test_the_topic_that_judged_them_has_not_moved(crawl: Crawl, topic: Topic) -> None:
    assert not moved(crawl, topic)


def test_another_calibration_and_other_words_are_told_until_all_is_judged_again(crawl: Crawl, topic: Topic) -> None:
    assert topic.vector is not None and topic.vector.calibration is not None
    calibration = replace(topic.vector.calibration, base=topic.vector.calibration.base - 2.0)
    colder = replace(topic, vector=replace(topic.vector, calibration=calibration))
    worded = replace(topic, vector=replace(topic.vector, weights={"茶": 1.0}))
    assert moved(crawl, colder)
    assert moved(crawl, worded)
    until_done(crawl.database, 1, JudgingAgain(colder, Judge))
    assert not moved(crawl, colder)


def test_a_harvest_without_a_page_has_not_moved(database_url: str, topic: Topic) -> None:
    crawl = Crawl(database_url, topic.name)
    try:
        assert not moved(crawl, topic)
    finally:
        crawl.database.close()
