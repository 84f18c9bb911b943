"""New, changed and gone pages, by run, on both engines; the exports since a run."""

from __future__ import annotations

from datetime import date

import pytest
from sqlalchemy import text

from crawler.questions.runs import run_named
from crawler.reasons import Code, Reason
from crawler.records import similarity_of
from tests.store.runs import run
from zhuti.export.selection import Selection, documents
from zhuti.news.news import RENDERED_ANEW, newest, news_of
from zhuti.news.news_output import sentences, summary

A, B, C, D = (f"https://{name}.example/" for name in "abcd")
DAY = 86_400.0


@pytest.fixture
def revisited(crawl, kept):
    """Run 1 keeps A and B, run 2 keeps C, run 3 keeps D, finds A changed and B gone."""
    run(crawl, 1 * DAY, [A, B], kept)
    run(crawl, 2 * DAY, [C], kept)
    run(crawl, 3 * DAY, [D], kept)
    columns = "topic_id, url_id, at, outcome, counted, status, seconds, size, reason, run_id"
    with crawl.database.transaction() as connection:
        # The last one is what `rejudge` writes: nothing was fetched, so it is not news, and ends none.
        for outcome, url, number in (("changed", A, "3"), ("gone", B, "3"), ("kept", D, "NULL")):
            connection.execute(
                text(
                    f"INSERT INTO fetches ({columns}) SELECT 1, id, 0, '{outcome}', FALSE, 200, 0, 0, '', {number}"
                    f" FROM urls WHERE url = '{url}'"
                )
            )
        connection.execute(text(f"UPDATE pages SET gone_at = {2.5 * DAY} WHERE url = '{B}'"))
    return crawl


def test_what_three_visits_find_off_topic_leaves_news_and_exports(crawl, kept, off_topic) -> None:
    run(crawl, 1 * DAY, [A, B], kept)
    for day in (2, 6, 10):
        crawl.store.begin_run(day * DAY, revisit=True)
        with crawl.database.transaction() as connection:
            ids = {url: row_id for row_id, url in connection.execute(text("SELECT id, url FROM urls"))}
        crawl.frontier.revisits.plan({ids[A]: 1.0})
        crawl.store.commit([off_topic(claim, at=day * DAY) for claim in crawl.claim(now=day * DAY)])
        crawl.store.end_run(day * DAY, Reason(Code.BUDGET))
    with crawl.database.transaction() as connection:
        topic_id, last = run_named(connection, "t", "last")
        news = news_of(connection, "t", topic_id, last)
        assert [(item.url, item.dropped_at) for item in news.dropped] == [(A, 10 * DAY)]
        assert news.counts == news_of(connection, "t", topic_id, last, 0).counts == (0, 0, 0, 0, 1)
        assert [item.url for item in newest(connection, topic_id, 9)] == [B]
        assert [document.url for document in documents(connection, topic_id, Selection())] == [B]


CASES = [  # since the run, new, changed, gone
    ("1", [D, C, A], [], [B]),
    ("2", [D, C], [A], [B]),
    ("3", [D], [A], [B]),
    ("last", [D], [A], [B]),
]


@pytest.mark.parametrize(("name", "new", "changed", "gone"), CASES)
def test_news(revisited, name: str, new: list[str], changed: list[str], gone: list[str]) -> None:
    with revisited.database.transaction() as connection:
        topic_id, found = run_named(connection, "t", name)
        news = news_of(connection, "t", topic_id, found)
        told = [[item.url for item in items] for items in (news.new, news.changed, news.gone)]
        assert told == [new, changed, gone]
        assert [len(items) for items in (news_of(connection, "t", topic_id, found, 1).new, news.new)] == [1, len(new)]
        alone = news_of(connection, "t", topic_id, found, alone=True)
        assert [item.url for item in alone.new] == {1: [A], 2: [C], 3: [D]}[found.id]
        assert [item.url for item in alone.changed + alone.gone] == ([A, B] if found.id == 3 else [])
        item = news.new[0]
        assert (item.title, item.opening, item.published, item.similarity) == (
            "题目",
            f"{D}的正文",
            "2026-01-02",
            similarity_of(0.5),
        )
        assert [item.url for item in newest(connection, topic_id, 2)] == [D, C]


def test_a_long_body_is_opened_in_one_line(crawl, kept) -> None:
    run(crawl, DAY, [A], lambda claim, at: kept(claim, "第一行\n\t第二行 " + "茶" * 500, at=at))
    with crawl.database.transaction() as connection:
        [item] = newest(connection, 1, 5)
    assert item.opening.startswith("第一行 第二行 茶")
    assert (len(item.opening), item.opening[-1]) == (161, "…")


SELECTIONS = [
    (3, {}, [A, D]),
    (2, {}, [A, C, D]),
    (3, {"changed": True}, [A]),
    (0, {"changed": True}, [A]),
    (0, {"fetched_since": date(1970, 1, 3)}, [C, D]),
]


@pytest.mark.parametrize(("since", "more", "wanted"), SELECTIONS)
def test_selection(revisited, since: int, more: dict[str, object], wanted: list[str]) -> None:
    with revisited.database.transaction() as connection:
        selection = Selection(since_run=since, **more)  # type: ignore[arg-type]
        assert [document.url for document in documents(connection, 1, selection)] == wanted


def test_what_was_published_since_the_run_before_comes_first(crawl, kept) -> None:
    """By date; what was found late is told apart, also where fewer are asked for."""
    run(crawl, 10 * DAY, [A], kept)
    run(crawl, 20 * DAY, [B, C, D], kept)
    with crawl.database.transaction() as connection:
        for url, published in ((A, "1970-01-02"), (B, "1970-01-12"), (C, None), (D, "1970-01-19T08:00:00+08:00")):
            connection.execute(
                text("UPDATE pages SET published = :day WHERE url = :url"), {"day": published, "url": url}
            )
        topic_id, last = run_named(connection, "t", "last")
        news = news_of(connection, "t", topic_id, last)
        assert [item.url for item in news.new] == [D, B, C]
        assert news.fresh == news_of(connection, "t", topic_id, last, 1).fresh == 2
        _, first = run_named(connection, "t", "1")
        assert news_of(connection, "t", topic_id, first).fresh == 4, "before the first run all was new"
    told = list(sentences(news))
    assert told[1:2] == ["3 pages are new:"] and told.index("1 of older date, found late:") == 4


def test_a_host_that_was_rendered_anew_is_one_item(crawl, kept) -> None:
    """The pages of it that changed in one run, not those of other runs and hosts."""
    pages = [f"https://a.example/{n}" for n in range(RENDERED_ANEW + 1)]
    others = [f"https://b.example/{n}" for n in range(RENDERED_ANEW - 1)]
    run(crawl, DAY, [*pages, *others], kept)
    for day, changed in ((2, [*pages[1:], *others]), (3, pages[:1])):
        crawl.store.begin_run(day * DAY)
        with crawl.database.transaction() as connection:
            known = dict(connection.execute(text("SELECT url, id FROM urls")).all())
        crawl.frontier.revisits.plan({known[url]: 1.0 for url in changed})
        claims = crawl.claim(now=day * DAY)
        words = dict(zip([*pages, *others], "甲乙丙丁戊己庚辛壬癸", strict=True))
        crawl.store.commit([kept(claim, f"改写成{words[claim.url]}了", at=day * DAY) for claim in claims])
        crawl.store.end_run(day * DAY, Reason(Code.FINISHED))
    with crawl.database.transaction() as connection:
        news = news_of(connection, "t", *run_named(connection, "t", "2"))
    found = {item.url: item.alike for item in news.changed}
    (anew,) = [url for url, alike in found.items() if alike]
    assert anew in pages[1:] and found[anew] == RENDERED_ANEW - 1
    assert found.keys() - {anew} == {*others, pages[0]}
    assert news.counts[1] == len(found) == len(others) + 2
    assert f"    and {RENDERED_ANEW - 1} more pages of its host" in "\n".join(sentences(news)).splitlines()
    assert {each["url"]: each.get("alike", 0) for each in summary(news)["changed"]} == found
