"""FURTHER_PAGES: further pages of a thread or article come with its first one, once that is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import select

from crawler.database.schema import pages, urls, visits
from crawler.questions.totals import totals
from crawler.reasons import Code, Reason
from crawler.records import Claim, Link, Outcome, Outlink, PageKind, Visit
from crawler.store.shared_store import store_for
from tests.crawls import Crawl, analysis

OTHER = "https://f.example/thread-8-1-1.html"


def page(number: int) -> str:
    return f"https://f.example/thread-7-{number}-1.html"


@pytest.fixture
def crawl(database_url: str) -> Iterator[Crawl]:
    crawl = Crawl(database_url)
    crawl.store = store_for(crawl.database)(crawl.database, crawl.frontier, crawl.scorer, further_pages=3)
    yield crawl
    crawl.database.close()


def visit(
    claim: Claim,
    links: dict[str, str],
    outcome: Outcome = Outcome.KEPT,
    kind: PageKind = PageKind.THREAD,
    worth: float = 0.1,
) -> Visit:
    """Of a page with these links, by address their text."""
    found = analysis(f"{claim.url}的正文", {})
    outlinks = tuple(Outlink(Link(url, text), worth) for url, text in links.items())
    found = replace(found, extraction=replace(found.extraction, kind=kind), outlinks=outlinks)
    return Visit(claim, outcome, 1.0, 200, size=1000, analysis=found)


def of_posts(crawl: Crawl) -> dict[str, str]:
    """By the address of each further page that of its first one."""
    first = urls.alias()
    query = select(urls.c.url, first.c.url).join(first, first.c.id == urls.c.further_of)
    with crawl.database.transaction(shared=True) as connection:
        return {row[0]: row[1] for row in connection.execute(query)}


def test_they_are_worth_as_much_as_their_post_and_told_apart(crawl: Crawl) -> None:
    crawl.frontier.seed([page(1)], score=0.7, now=0)
    (claim,) = crawl.claim()
    crawl.store.commit([visit(claim, {OTHER: "另一个帖子", page(2): "2", page(3): "[3]"})])
    assert of_posts(crawl) == {page(2): page(1), page(3): page(1)}
    second, third, other = crawl.claim()
    assert [(second.url, second.score), (third.url, third.score)] == [(page(2), 0.7), (page(3), 0.7)]
    assert other.url == OTHER
    # A further page names the ones behind it, up to the fourth of the thread.
    crawl.store.commit([visit(second, {page(1): "1", page(3): "3", page(4): "4", page(5): "5"})])
    assert of_posts(crawl) == {page(2): page(1), page(3): page(1), page(4): page(1)}
    with crawl.database.transaction(shared=True) as connection:
        assert set(connection.execute(select(visits.c.found)).scalars()) == {0.0}, "no later visit has found them"
    crawl.store.commit([visit(third, {}, Outcome.OFF_TOPIC)])
    found = totals(crawl.database, crawl.topic)
    assert (found.kept, found.further_pages, found.continued) == (2, 1, 1)


def test_one_that_waited_already_rises(crawl: Crawl) -> None:
    board = "https://f.example/forum-2-1.html"
    crawl.frontier.seed([board, page(1)], score=0.7, now=0)
    first, second = crawl.claim()
    crawl.store.commit([visit(first, {page(2): "2"}, Outcome.OFF_TOPIC, PageKind.LIST)])
    assert of_posts(crawl) == {}
    crawl.store.commit([visit(second, {page(2): "2"})])
    assert of_posts(crawl) == {page(2): page(1)}
    crawl.frontier.rescore({page(2): 0.01})
    assert [claim.score for claim in crawl.claim()] == [0.7], "the scorer knows that it is not a post"


@pytest.mark.parametrize(
    ("outcome", "kind", "most"),
    [
        (Outcome.OFF_TOPIC, PageKind.THREAD, 3),
        (Outcome.KEPT, PageKind.LIST, 3),
        (Outcome.KEPT, PageKind.THREAD, 0),
    ],
)
def test_else_they_wait_as_other_links_do(crawl: Crawl, outcome: Outcome, kind: PageKind, most: int) -> None:
    crawl.store = store_for(crawl.database)(crawl.database, crawl.frontier, crawl.scorer, further_pages=most)
    crawl.frontier.seed([page(1)], score=0.7, now=0)
    (claim,) = crawl.claim()
    crawl.store.commit([visit(claim, {page(2): "2"}, outcome, kind)])
    assert of_posts(crawl) == {}
    assert [claim.score for claim in crawl.claim()] == [0.1]


def test_the_text_of_one_is_stored_with_its_post_though_its_similarity_drops_it(crawl: Crawl) -> None:
    crawl.frontier.seed([page(1)], score=0.7, now=0)
    (claim,) = crawl.claim()
    crawl.store.commit([visit(claim, {page(2): "2", page(3): "3", OTHER: "另一个帖子"})])
    second, third, other = crawl.claim()
    unlike = Reason(Code.SIMILARITY, similarity=0.01, threshold=0.3)
    crawl.store.commit(
        [
            replace(visit(second, {}, Outcome.OFF_TOPIC), reason=unlike),
            replace(visit(third, {}, Outcome.OFF_TOPIC), reason=Reason(Code.LANGUAGE, found="en", wanted="zh")),
            replace(visit(other, {}, Outcome.OFF_TOPIC), reason=unlike),
        ]
    )
    with crawl.database.transaction(shared=True) as connection:
        stored = connection.execute(select(pages.c.url).where(pages.c.body.is_not(None))).scalars().all()
    assert stored == [page(1), page(2)]
