"""What a similarity is made of adds up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from crawler.labels.labels import Answer, Label, add
from crawler.labels.lessons import taught
from crawler.records import Extraction, Outcome, Visit, similarity_of
from crawler.topic.calibration import nearness_of
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.crawls import Crawl, analysis
from zhuti.why.explanation import judged_today

PAGES = {  # the tags and the text of a page
    "https://tags.example/": (("爬虫",), "爬虫读网页。山路很长，茶还热着，朋友说起旧事。"),
    "https://plain.example/": ((), "爬虫也读网页。水烧开后放进茶叶，等三分钟。"),
}


@pytest.fixture
def crawl(database_url: str, topic: Topic) -> Iterator[Crawl]:
    crawl = Crawl(database_url, topic.name)
    crawl.frontier.seed(list(PAGES), now=0)
    visits = []
    for claim in crawl.claim():
        tags, body = PAGES[claim.url]
        found = replace(analysis(body, {}, title="网页"), subjects=tags)
        visits.append(Visit(claim, Outcome.KEPT, 1.0, 200, analysis=found))
    crawl.store.commit(visits)
    yield crawl
    crawl.database.close()


@pytest.mark.parametrize("url", PAGES)
@pytest.mark.parametrize("answer", [None, Answer.NO])
def test_the_summands_give_what_the_judge_gives(crawl: Crawl, topic: Topic, url: str, answer: Answer | None) -> None:
    with crawl.database.transaction() as connection:
        if answer:
            add(connection, 1, [Label("https://plain.example/", answer, 1.0)])
        found = judged_today(connection, 1, topic, url)
        judge = Judge(taught(connection, 1, topic))
    assert found is not None
    tags, body = PAGES[url]
    assert found.similarity == judge.judge(Extraction("网页", body), tags).similarity
    odds = sum(part.value for part in found.parts if not part.of)
    assert similarity_of(nearness_of(odds)) == pytest.approx(found.similarity, abs=1e-6)
    assert ("people's answers" in {part.name for part in found.parts}) is (answer is not None)
    for part in found.parts:
        within = [other.value for other in found.parts if other.of == part.name]
        assert not within or sum(within) == pytest.approx(part.value)


def test_a_page_without_a_stored_text_and_a_topic_without_words_tell_nothing(crawl: Crawl, topic: Topic) -> None:
    with crawl.database.transaction() as connection:
        assert judged_today(connection, 1, topic, "https://unknown.example/") is None
        assert judged_today(connection, 1, replace(topic, vector=None), next(iter(PAGES))) is None
