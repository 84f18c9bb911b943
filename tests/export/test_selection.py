from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import update

from crawler.database.schema import pages
from crawler.errors import ExportError
from crawler.records import PageKind, similarity_of
from crawler.store.names import host_name, topic_id_of
from zhuti.export.selection import Selection, count, documents

URLS = ("https://www.a.example/1", "https://a.example:8443/2", "https://ba.example/3", "https://c.example/4")
DAY = 86_400.0


def page(visit, language: str = "zh", published: str | None = None, kind: PageKind = PageKind.ARTICLE):
    extraction = replace(visit.analysis.extraction, published=published, kind=kind)
    return replace(visit, analysis=replace(visit.analysis, language=language, extraction=extraction))


@pytest.fixture
def harvested(crawl, kept):
    crawl.frontier.seed(URLS, now=0)
    claims = {claim.url: claim for claim in crawl.claim()}
    one, two, three, four = (claims[url] for url in URLS)
    crawl.store.commit(
        [
            page(kept(one, "一" * 10, at=3 * DAY), published="1970-02-01T08:00:00+08:00"),
            page(kept(two, "二 " * 20, at=3 * DAY), language="en"),
            page(kept(three, "三" * 30, at=4 * DAY - 1), kind=PageKind.THREAD),
            page(kept(four, "四" * 40, at=4 * DAY), published="1970-02-02"),
        ]
    )
    return crawl


CASES = [
    (Selection(), "1234"),
    (Selection(hosts=("a.example",)), "12"),
    (Selection(hosts=("www.a.example", "c.example")), "14"),
    (Selection(hosts=("a.example:8443",)), "2"),
    (Selection(hosts=("xample",)), ""),
    (Selection(hosts=("%.example",)), ""),
    (Selection(languages=("zh",)), "134"),
    (Selection(languages=("en", "de")), "2"),
    (Selection(kinds=("thread",)), "3"),
    (Selection(kinds=("article", "list")), "124"),
    (Selection(since=date(1970, 1, 5)), "14"),
    (Selection(since=date(1970, 1, 4)), "1234"),
    (Selection(until=date(1970, 1, 3)), ""),
    (Selection(until=date(1970, 1, 4)), "23"),
    (Selection(until=date(1970, 2, 1)), "123"),
    (Selection(since=date(1970, 2, 2), until=date(1970, 2, 2)), "4"),
    (Selection(min_length=20), "234"),
    (Selection(min_length=21), "34"),
    (Selection(min_similarity=similarity_of(0.5)), "1234"),  # of all; SQL reckons to the same last digit
    (Selection(min_similarity=0.7), ""),
]


@pytest.mark.parametrize(("selection", "wanted"), CASES)
def test_conditions(harvested, selection: Selection, wanted: str) -> None:
    with harvested.database.transaction() as connection:
        topic = topic_id_of(connection, "t")
        found = [document.url[-1] for document in documents(connection, topic, selection)]
        assert "".join(found) == wanted
        assert count(connection, topic, replace(selection, min_length=0)) >= len(found)


def test_kinds_of_harvests_before(harvested) -> None:
    with harvested.database.transaction() as connection:
        connection.execute(update(pages).where(pages.c.kind == "thread").values(kind="forum"))
        (found,) = documents(connection, topic_id_of(connection, "t"), Selection(kinds=("thread",)))
        assert (found.url[-1], found.kind) == ("3", "thread")


def test_no_duplicates(crawl, kept) -> None:
    """Two pages come to one text when one of them is fetched for another topic after it has changed."""
    crawl.frontier.seed(URLS[:2], now=0)
    crawl.store.commit([kept(claim, f"{place}篇") for place, claim in enumerate(crawl.claim())])
    with crawl.database.transaction() as connection:
        connection.exec_driver_sql("UPDATE pages SET digest = (SELECT digest FROM pages WHERE id = 1)")
        topic = topic_id_of(connection, "t")
        assert len(list(documents(connection, topic, Selection()))) == 2
        assert [found.url for found in documents(connection, topic, Selection(no_duplicates=True))] == [URLS[0]]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("a.example", "a.example"),
        (" A.Example. ", "a.example"),
        ("https://user@A.example:81/path?q", "a.example:81"),
        ("例子.example", "xn--fsqu00a.example"),
    ],
)
def test_host_name(written: str, name: str) -> None:
    assert host_name(written, ExportError) == name


@pytest.mark.parametrize("written", ["", "https://", "a b", "a..example", "http://[", "%"])
def test_no_host_name(written: str) -> None:
    with pytest.raises(ExportError, match="is not a host"):
        host_name(written, ExportError)
