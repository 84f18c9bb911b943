"""Stored pages judged again: by what, what stays of them, and what happens in between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import select

from crawler.database.schema import judgements, pages
from crawler.labels.judge_again import AT_ONCE, JudgingAgain, is_judged, until_done
from crawler.labels.labels import Answer, Label, add
from crawler.labels.lessons import described
from crawler.reasons import Code, Reason
from crawler.records import Outcome, Visit
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.crawls import Crawl, analysis
from zhuti.rejudge.stored import stored_pages

URLS = [f"https://h{n}.example/" for n in range(AT_ONCE + 5)]
OBJECTION = Reason(Code.KEPT_ALTHOUGH, forbids="noai")


@pytest.fixture
def crawl(database_url: str) -> Iterator[Crawl]:
    """A harvest of pages that their tags alone tell, without a link."""
    crawl = Crawl(database_url, "spiders")
    crawl.frontier.seed(URLS, now=0)
    visits = []
    for claim in crawl.claim():
        found = replace(analysis(f"第{claim.id}页没有说什么。", {}), subjects=("爬虫", "网页"))
        visits.append(Visit(claim, Outcome.KEPT, 1.0, 200, OBJECTION, analysis=found))
    crawl.store.commit(visits)
    yield crawl
    crawl.database.close()


def say(crawl: Crawl, url: str, answer: Answer) -> None:
    with crawl.database.transaction() as connection:
        add(connection, 1, [Label(url, answer, 1.0)])


def stored(crawl: Crawl) -> dict[str, tuple[str, str, float]]:
    """Outcome, reason and nearness by URL."""
    columns = pages.c.url, judgements.c.outcome, judgements.c.reason, judgements.c.nearness
    with crawl.database.transaction() as connection:
        rows = connection.execute(select(*columns).join(judgements, judgements.c.page_id == pages.c.id))
        return {url: (outcome, reason, nearness) for url, outcome, reason, nearness in rows}


def test_tags_and_what_is_noted_of_a_page_stay(crawl: Crawl, topic: Topic) -> None:
    done = until_done(crawl.database, 1, JudgingAgain(topic, Judge))
    assert (done.judged, done.changed) == (len(URLS), 0), "without their tags none would be kept"
    with crawl.database.transaction() as connection:
        told = dict(described(connection, 1, URLS))
    for url, (outcome, reason, nearness) in stored(crawl).items():
        page = told[url]
        assert page.subjects == ("爬虫", "网页")
        assert nearness == Judge(topic).judge(page.extraction, page.subjects).nearness
        assert (outcome, reason) == ("kept", OBJECTION)


def test_a_step_that_came_to_nothing_is_done_again(crawl: Crawl, topic: Topic) -> None:
    """A lost connection undoes it, whatever the program has counted meanwhile."""
    say(crawl, URLS[0], Answer.NO)
    work = JudgingAgain(topic, Judge)
    with crawl.database.transaction() as connection:
        work = work.step(connection, 1)

    class Lost(Exception):
        pass

    with pytest.raises(Lost), crawl.database.transaction() as connection:
        work.step(connection, 1)
        raise Lost
    done = until_done(crawl.database, 1, work)
    assert done.judged == len(URLS)
    assert stored(crawl)[URLS[0]][0] == "off-topic"


def test_answers_that_come_in_between_begin_it_again(crawl: Crawl, topic: Topic) -> None:
    def step(work: JudgingAgain) -> JudgingAgain:
        with crawl.database.transaction() as connection:
            return work.step(connection, 1)

    say(crawl, URLS[-1], Answer.NO)
    learned = step(JudgingAgain(topic, Judge))
    assert learned.judge is None, "a crawl without new answers needs no dictionary"
    half = step(learned)
    assert (half.taught, half.judged) == (learned.taught, AT_ONCE)
    say(crawl, URLS[0], Answer.NO)
    assert step(half).only_reads, "the answers are to be read again"
    done = until_done(crawl.database, 1, half)
    assert done.taught is not learned.taught
    assert {URLS[0], URLS[-1]} <= {url for url, (outcome, _, _) in stored(crawl).items() if outcome == "off-topic"}
    with crawl.database.transaction() as connection:
        assert is_judged(connection, 1)
    say(crawl, URLS[1], Answer.UNSURE)
    with crawl.database.transaction() as connection:
        assert not is_judged(connection, 1)


def test_stored_pages_come_with_their_tags(crawl: Crawl) -> None:
    found = [visit for batch in stored_pages(crawl.database, 1, 10) for visit in batch]
    assert {visit.claim.url for visit in found} == set(URLS)
    assert all(visit.analysis is not None and visit.analysis.subjects == ("爬虫", "网页") for visit in found)
