"""URLs that are visited again: what is stored of it, and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import pytest
from sqlalchemy import text

from crawler.frontier.new_urls import NewUrl
from crawler.questions.runs import run_named
from crawler.reasons import Code, Reason
from crawler.records import Claim, Judgement, Outcome, Outlink, PageKind, Seen, Visit
from crawler.store.fetch_log import ONE_OF
from crawler.store.revisits import plan, worth_of_new
from crawler.store.shared_store import store_for
from crawler.store.visits import GONE_AFTER, HALF_LIFE, count_textless
from tests.stored import count, rows
from zhuti.news.news import news_of
from zhuti.upkeep.forget import Order, forget

A, B, C, D = (f"https://a.example/{name}" for name in ("", "b", "c", "d"))
DAY = 86400.0


def visit_again(crawl, *urls: str, now: float) -> list[Claim]:
    """Claims of URLs that were visited before."""
    known = dict(rows(crawl, "SELECT url, id FROM urls"))
    crawl.frontier.revisits.plan({known[url]: 1.0 + place for place, url in enumerate(urls)})
    return crawl.claim(now=now)


@pytest.fixture
def harvested(crawl, kept):
    """One page that was kept on day 0."""
    crawl.frontier.seed([A], now=0)
    (claim,) = crawl.claim()
    assert claim.seen is None
    seen = Seen('"one"', "Mon, 01 Jan 2024 00:00:00 GMT", b"1" * 16)
    crawl.store.commit([replace(kept(claim, "第一个正文", {B: 0.5}, at=0.0), seen=seen)])
    return crawl


def test_a_claim_tells_what_was_seen(harvested) -> None:
    claim, other = visit_again(harvested, A, now=DAY)
    assert (claim.url, other.url, other.seen) == (A, B, None)
    assert claim.seen == Seen('"one"', "Mon, 01 Jan 2024 00:00:00 GMT", b"1" * 16)


def test_not_modified_stores_nothing_but_the_visit(harvested) -> None:
    before = rows(harvested, "SELECT * FROM pages"), rows(harvested, "SELECT * FROM judgements")
    claims = visit_again(harvested, A, now=DAY)
    visits = [Visit(claim, Outcome.UNCHANGED, DAY, 304) for claim in claims if claim.url == A]
    assert harvested.store.commit(visits) == [Outcome.UNCHANGED]
    assert (rows(harvested, "SELECT * FROM pages"), rows(harvested, "SELECT * FROM judgements")) == before
    assert rows(harvested, "SELECT visits, visited_at, changed, etag FROM visits") == [(2, DAY, 0.0, '"one"')]
    assert rows(harvested, "SELECT outcome, counted FROM fetches ORDER BY id") == [("kept", 1), ("unchanged", 0)]
    assert (harvested.store.fetched(), harvested.store.kept()) == (1, 1)


@pytest.mark.parametrize("status", [200, 304])
def test_a_page_that_is_as_it_was_leaves_by_a_header(harvested, status: int) -> None:
    (claim, *_) = visit_again(harvested, A, now=DAY)
    visit = Visit(claim, Outcome.UNCHANGED, DAY, status, seen=Seen('"one"'), forbids=frozenset({"noai", "nofollow"}))
    assert harvested.store.commit([visit]) == [Outcome.DROPPED]
    assert rows(harvested, "SELECT outcome, reason FROM judgements") == [
        ("off-topic", says := 'forbidden-to-keep {"forbids":"noai"}')
    ]
    assert rows(harvested, "SELECT reason FROM fetches WHERE outcome = 'dropped'") == [(says,)]
    assert rows(harvested, "SELECT etag, content, strayed FROM visits") == [(None, None, 1)], "it is read again"


def test_other_bytes_with_the_same_text_are_the_same_version(harvested, kept) -> None:
    (claim, *_) = visit_again(harvested, A, now=DAY)
    again = replace(kept(claim, " 第一个 正文 ", {B: 0.5, C: 0.7}, at=DAY), seen=Seen('"two"'))
    assert harvested.store.commit([again]) == [Outcome.UNCHANGED]
    assert rows(harvested, "SELECT reason FROM fetches WHERE outcome = 'unchanged'") == [(Code.SAME_TEXT,)]
    assert count(harvested, "versions") == 0
    assert rows(harvested, "SELECT etag, changed FROM visits") == [('"two"', 0.0)]
    assert rows(harvested, f"SELECT pinned FROM urls WHERE url = '{C}'") == [(1,)], "its new links are news"


def test_a_link_that_waits_is_news_where_it_is_shown_first(harvested, kept) -> None:
    """B waits since day 0, for its host's first page linked to it; a list that begins to show C makes C news, not B."""
    harvested.frontier.seed([D], now=0)
    (claim,) = [claim for claim in harvested.claim() if claim.url == D]
    harvested.store.commit([kept(claim, "又一个正文", {C: 0.5}, at=0.0)])
    (claim, *rest) = visit_again(harvested, A, now=DAY)
    harvested.frontier.release(rest)
    harvested.store.commit([kept(claim, "第一个正文", {B: 0.5, C: 0.5}, at=DAY)])
    news = "SELECT u.url, v.url FROM urls u JOIN urls v ON v.id = u.via WHERE u.pinned AND u.state = 0"
    assert rows(harvested, news) == [(C, A)]
    harvested.frontier.rescore({C: 0.0})
    assert harvested.claim(now=2 * DAY)[0].url == C


EDITS = "零一二三四五"
APART = 20 * DAY


def edited(harvested, kept, texts: Sequence[str], apart: float = APART) -> list[Outcome]:
    """How visits end that find these texts one after another."""
    ended = []
    for visit, words in enumerate(texts, start=1):
        (claim,) = [claim for claim in visit_again(harvested, A, now=visit * apart) if claim.url == A]
        ended += harvested.store.commit([kept(claim, f"正文{words}", at=visit * apart)])
        harvested.reopen()
    return ended


def test_another_text_is_a_version_and_the_old_one_stays(harvested, kept) -> None:
    assert edited(harvested, kept, EDITS[1:]) == [Outcome.CHANGED] * 5
    assert rows(harvested, "SELECT fetched_at, until FROM versions ORDER BY id") == [
        (visit * APART, (visit + 1) * APART) for visit in (2, 3, 4)
    ], "the newest HISTORY"
    assert rows(harvested, "SELECT fetched_at FROM pages WHERE body IS NOT NULL") == [(5 * APART,)]
    assert rows(harvested, "SELECT outcome FROM judgements") == [("kept",)]
    assert harvested.store.kept() == 1, "it is one page"
    ((changed,),) = rows(harvested, "SELECT changed FROM visits")
    assert changed == pytest.approx(sum(0.5 ** (visit * APART / DAY / HALF_LIFE) for visit in range(5)))


def test_a_page_that_flips_between_two_texts_is_told_once(harvested, kept) -> None:
    """And its other texts stay."""
    told, same = Outcome.CHANGED, Outcome.UNCHANGED
    assert edited(harvested, kept, "甲乙丙乙丙乙") == [told, told, told, same, same, same]
    assert count(harvested, "versions") == 3
    assert count(harvested, f"fetches WHERE reason = '{Code.FORMER_TEXT}'") == 3
    assert rows(harvested, "SELECT fetched_at FROM pages WHERE body IS NOT NULL") == [(6 * APART,)], "the text of today"
    assert rows(harvested, "SELECT outcome, reason FROM judgements") == [("kept", "")]
    assert edited(harvested, kept, "甲", 7 * APART) == [same], "a text of long ago is still known"


def test_a_page_that_changes_all_the_time_is_told_each_time(harvested, kept) -> None:
    assert edited(harvested, kept, "甲乙丙丁戊己庚辛", 5 * DAY) == [Outcome.CHANGED] * 8
    assert rows(harvested, "SELECT fetched_at FROM pages WHERE body IS NOT NULL") == [(8 * 5 * DAY,)], "always today's"


def test_a_dropped_page_whose_text_was_stored_may_be_kept_later(crawl, kept, off_topic) -> None:
    """It has no digest, and no version comes of it."""
    address = next(
        f"https://a.example/{n}" for n in range(99) if crc32(f"https://a.example/{n}".encode()) % ONE_OF == 0
    )
    crawl.frontier.seed([address], now=0)
    judged = replace(off_topic(Claim(0, "", 0.0), at=0.0).analysis, judgement=Judgement(0.25, False))
    crawl.store.commit([replace(off_topic(claim, at=0.0), analysis=judged) for claim in crawl.claim()])
    assert rows(crawl, "SELECT body IS NOT NULL, digest FROM pages") == [(1, None)]
    (claim,) = visit_again(crawl, address, now=DAY)
    assert crawl.store.commit([kept(claim, "一个正文", at=DAY)]) == [Outcome.KEPT]
    assert count(crawl, "versions") == 0


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("正文一，读过 7 次", Outcome.UNCHANGED),
        ("正文一，读过 5 次\n邻居的正文", Outcome.UNCHANGED),
        ("正文二，读过 5 次", Outcome.CHANGED),
    ],
)
def test_what_stands_around_a_text_is_no_change(crawl, kept, text: str, outcome: Outcome) -> None:
    crawl.frontier.seed([A, B], now=0)
    bodies = {A: "正文一，读过 5 次", B: "邻居的正文\n邻居另一段"}
    crawl.store.commit([kept(claim, bodies[claim.url], at=0.0) for claim in crawl.claim()])
    crawl.store = store_for(crawl.database)(crawl.database, crawl.frontier, crawl.scorer)
    crawl.store.begin_run(DAY)
    [claim, *_] = [claim for claim in visit_again(crawl, A, now=DAY) if claim.url == A]
    assert crawl.store.commit([kept(claim, text, at=DAY)]) == [outcome]
    assert len(rows(crawl, "SELECT id FROM versions")) == (outcome is Outcome.CHANGED)
    with crawl.database.transaction() as connection:
        news = news_of(connection, "t", *run_named(connection, "t", "last"))
    assert [(item.added, item.removed) for item in news.changed] == [(("二",), ("一",))] * (outcome is Outcome.CHANGED)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("shown", ["dropped", "kept", "404"])
def test_a_site_that_shows_one_notice_for_three_days_loses_nothing(
    crawl, kept, off_topic, shown: str, at_once: bool
) -> None:
    """Whatever is thought of the notice, and whether its pages are visited in one batch or one after another."""
    pages = {f"https://a.example/{n}": f"{word}的正文，讲的是{word}" for n, word in enumerate("甲乙丙丁")}
    crawl.frontier.seed(pages, now=0)
    crawl.store.commit([kept(claim, pages[claim.url], at=0.0) for claim in crawl.claim()])
    stored = (
        "SELECT url, digest, gone_at, moved_from, outcome FROM pages JOIN judgements ON page_id = pages.id ORDER BY url"
    )
    before = rows(crawl, stored)

    def notice(claim: Claim, at: float) -> Visit:
        if shown == "404":
            return Visit(claim, Outcome.FAILED, at, 404, Reason(Code.STATUS, status=404))
        return kept(claim, "本站正在升级，两小时后恢复", at=at) if shown == "kept" else off_topic(claim, at=at)

    for day in (2, 3, 4, 9):
        crawl.store.begin_run(day * DAY)
        claims = visit_again(crawl, *pages, now=day * DAY)
        visits = [notice(each, day * DAY) if day < 9 else kept(each, pages[each.url], at=day * DAY) for each in claims]
        for batch in [visits] if at_once else [[visit] for visit in visits]:
            crawl.store.commit(batch)
        crawl.store.end_run(day * DAY, Reason(Code.FINISHED))
    assert rows(crawl, stored) == before
    with crawl.database.transaction() as connection:
        news = news_of(connection, "t", *run_named(connection, "t", "1"))
    told = int(shown == "kept" and not at_once)  # the first page has a text that no other has yet
    assert news.counts == (0, told, 0, 0, 0)


def test_a_kept_page_that_comes_to_resemble_another_one_stays_kept(harvested, kept) -> None:
    (claim,) = [claim for claim in harvested.claim() if claim.url == B]
    harvested.store.commit([kept(claim, "另一个正文", at=1.0)])
    (claim, *_) = visit_again(harvested, A, now=DAY)
    assert harvested.store.commit([kept(claim, "另一个正文", at=DAY)]) == [Outcome.UNCHANGED]
    assert rows(harvested, "SELECT outcome FROM judgements") == [("kept",), ("kept",)]
    assert rows(harvested, "SELECT fetched_at FROM pages ORDER BY id") == [(0.0,), (1.0,)], "with the text that it had"


def test_what_another_program_reads_otherwise_is_no_edit_and_what_it_finds_changed_later_is_one(
    harvested, kept
) -> None:
    ends = []
    for day, reader, body in [
        (1, "b", "新读法的正文"),
        (2, "b", "改过的正文"),
        (3, "c", "改过的正文"),
        (4, "c", "又改过的正文"),
    ]:
        (claim, *_) = visit_again(harvested, A, now=day * DAY)
        visit = kept(claim, body, at=day * DAY)
        assert visit.analysis is not None
        visit = replace(visit, analysis=replace(visit.analysis, reader=reader))
        harvested.store.commit([visit])
        ends.append(rows(harvested, "SELECT outcome, reason FROM fetches ORDER BY id DESC LIMIT 1")[0])
    assert ends == [("unchanged", "renewed"), ("changed", ""), ("unchanged", "same-text"), ("changed", "")]


def test_a_kept_page_stays_when_something_else_stands_in_its_place(harvested, off_topic) -> None:
    (claim, *_) = visit_again(harvested, A, now=DAY)
    assert harvested.store.commit([off_topic(claim, at=DAY)]) == [Outcome.OFF_TOPIC]
    assert rows(harvested, "SELECT outcome FROM judgements") == [("kept",)]
    assert rows(harvested, "SELECT fetched_at FROM pages WHERE body IS NOT NULL") == [(0.0,)]


@pytest.mark.parametrize(
    ("visits", "days", "outcomes"),
    [
        ("xxx", 4, ["off-topic", "off-topic", "dropped"]),
        ("xxxxx", 1, ["off-topic"] * 5),  # one notice everywhere for five days
        ("xxxs", 1, ["off-topic"] * 3 + ["unchanged"]),
        ("x==", 4, ["off-topic", "unchanged", "dropped"]),  # the same bytes as at the visit that found it off topic
        ("xm==", 4, ["off-topic", "failed", "unchanged", "dropped"]),  # a miss tells nothing of the text
        ("=xx", 4, ["unchanged", "off-topic", "off-topic"]),
        ("xs==", 4, ["off-topic", "unchanged", "unchanged", "unchanged"]),  # its old text came back
        ("xxcx", 4, ["off-topic", "off-topic", "changed", "off-topic"]),
        ("xxxx", 4, ["off-topic", "off-topic", "dropped", "off-topic"]),
        ("xxxc", 4, ["off-topic", "off-topic", "dropped", "kept"]),
    ],
)
def test_a_page_that_three_visits_over_a_week_find_off_topic_is_dropped(
    harvested, kept, off_topic, visits: str, days: int, outcomes: list[str]
) -> None:
    ended = []
    for number, what in enumerate(visits, start=1):
        day = days * number
        claims = [claim for claim in visit_again(harvested, A, now=day * DAY) if claim.url == A]
        made = {
            "x": lambda claim, at: off_topic(claim, at=at),
            "=": lambda claim, at: Visit(claim, Outcome.UNCHANGED, at, 304),
            "m": lambda claim, at: Visit(claim, Outcome.FAILED, at, 404),
            "s": lambda claim, at: kept(claim, "第一个正文", at=at),
            "c": lambda claim, at: kept(claim, "第二个正文", at=at),
        }[what]
        ended += harvested.store.commit([made(claim, day * DAY) for claim in claims])
    assert ended == outcomes
    is_kept = ended[-1] == "kept" or "dropped" not in ended
    assert rows(harvested, "SELECT outcome FROM judgements") == [("kept" if is_kept else "off-topic",)]
    assert harvested.store.kept() == is_kept
    harvested.store.count_again()
    assert harvested.store.kept() == is_kept
    assert rows(harvested, "SELECT body IS NOT NULL FROM pages WHERE url = 'https://a.example/'") == [(1,)]


@pytest.mark.parametrize(
    ("days", "gone"),
    [
        ((1, 2, 3), None),  # three tries, too fast
        ((1, 9), None),  # a week, too few
        ((1, 5, 9), DAY),
        ((1, 5, 9, 10), DAY),
    ],
)
def test_a_page_is_gone_after_three_tries_over_a_week(harvested, days: tuple[int, ...], gone: float | None) -> None:
    for day in days:
        claims = [claim for claim in visit_again(harvested, A, now=day * DAY) if claim.url == A]
        harvested.store.commit(
            [Visit(claim, Outcome.FAILED, day * DAY, 404, Reason(Code.STATUS, status=404)) for claim in claims]
        )
    assert rows(harvested, "SELECT gone_at, body IS NOT NULL FROM pages") == [(gone, 1)]
    assert ("gone" in {outcome for (outcome,) in rows(harvested, "SELECT outcome FROM fetches")}) == (gone is not None)
    assert GONE_AFTER == 3


def test_a_page_that_answers_again_is_not_missing(harvested) -> None:
    for day, status in ((1, 410), (5, 410), (6, 304), (10, 404)):
        claims = [claim for claim in visit_again(harvested, A, now=day * DAY) if claim.url == A]
        outcome = Outcome.UNCHANGED if status == 304 else Outcome.FAILED
        harvested.store.commit([Visit(claim, outcome, day * DAY, status) for claim in claims])
    assert rows(harvested, "SELECT missing, missing_since FROM visits") == [(1, 10 * DAY)]


def test_a_source_is_credited_with_what_it_shows_later(harvested, kept) -> None:
    (claim, *others) = visit_again(harvested, A, now=DAY)
    harvested.frontier.release(others)
    harvested.store.commit([kept(claim, "第一个正文", {B: 0.5, C: 0.7}, at=DAY)])
    claims = harvested.claim(now=DAY)
    assert [claim.url for claim in claims] == [C, B], "news first"
    harvested.store.commit([kept(claim, at=DAY) for claim in claims])
    assert rows(harvested, "SELECT found FROM visits ORDER BY url_id") == [(1.0,), (0.0,), (0.0,)]


def test_no_link_scorer_changes_what_is_pinned(harvested) -> None:
    visit_again(harvested, A, now=DAY)
    harvested.frontier.rescore({A: 77.0, B: 0.25})
    assert dict(rows(harvested, "SELECT url, score FROM urls")) == {A: 1.0, B: 0.25}


def test_what_was_not_visited_is_called_off(harvested) -> None:
    known = dict(rows(harvested, "SELECT url, id FROM urls"))
    harvested.frontier.revisits.plan({known[A]: 5.0})
    assert harvested.frontier.counts().waiting == 2
    harvested.reopen()
    harvested.frontier.revisits.plan({})
    assert rows(harvested, f"SELECT state FROM urls WHERE url = '{A}'") == [(2,)]
    assert harvested.frontier.counts().waiting == 1
    assert [claim.url for claim in harvested.claim(now=DAY)] == [B]


def test_index_files_tell_of_changes(harvested, kept) -> None:
    feed = "https://a.example/feed.xml"

    def read(at: float, updated: float) -> None:
        (claim,) = (c for c in visit_again(harvested, feed, now=at) or harvested.claim(now=at) if c.url == feed)
        page = kept(replace(claim, index_kind="feed"), links={A: 0.5}, at=at)
        listed = tuple(Outlink(replace(link.link, updated=updated)) for link in page.analysis.outlinks)
        index_file = replace(page, outcome=Outcome.INDEX_FILE, analysis=replace(page.analysis, outlinks=listed))
        harvested.store.commit([index_file])

    harvested.frontier.seed([feed], now=0)
    read(1 * DAY, 100.0)
    assert rows(harvested, "SELECT told_at, told FROM visits ORDER BY url_id")[0] == (100.0, 0), "the first word"
    read(2 * DAY, 100.0)
    assert rows(harvested, "SELECT told_at, told FROM visits ORDER BY url_id")[0] == (100.0, 0)
    read(3 * DAY, 200.0)
    assert rows(harvested, "SELECT told_at, told FROM visits ORDER BY url_id")[0] == (200.0, 1)
    claims = [claim for claim in visit_again(harvested, A, now=4 * DAY) if claim.url == A]
    harvested.store.commit([kept(claim, "另一个正文", at=4 * DAY) for claim in claims])
    query = "SELECT told, heeded, proved FROM visits ORDER BY url_id"
    assert rows(harvested, query)[0] == (0, 1, 1)


def test_a_run_asks_no_more_than_its_budget(harvested, kept) -> None:
    harvested.store.begin_run(DAY, budget=2, revisit=True)
    asked = 0
    while claims := harvested.store.claim(10, DAY, 0, 2):
        asked += len(claims)
        harvested.store.commit([kept(claim, f"{claim.url}{asked}", {f"{B}{asked}": 0.5}, DAY) for claim in claims])
    assert asked == harvested.store.asked() == 2


def test_what_is_forgotten_is_not_visited_again(harvested, kept) -> None:
    (claim, *_) = visit_again(harvested, A, now=DAY)
    harvested.store.commit([kept(claim, "另一个正文", at=DAY)])
    assert count(harvested, "versions") == 1
    forget(harvested.database, Order(host="a.example"))
    for table in ("pages", "visits", "versions"):
        assert count(harvested, f"{table}") == 0
    harvested.store.begin_run(100 * DAY, revisit=True)
    assert harvested.claim(now=100 * DAY) == []


def test_what_is_judged_again_from_the_store_is_no_visit(harvested, kept) -> None:
    with harvested.database.transaction() as connection:
        (claim,) = harvested.frontier.reopen([A], now=DAY)
        connection.execute(text("DELETE FROM links"))
        connection.execute(text("DELETE FROM judgements"))
        again = replace(kept(claim, "同一网页，别的提取器", at=0.0), fetched=False)
        assert harvested.store.commit([again]) == [Outcome.KEPT]
    assert count(harvested, "versions") == 0
    assert rows(harvested, "SELECT visits FROM visits") == [(1,)]


def test_what_a_run_did_not_visit_waits_no_longer_when_it_ends(harvested) -> None:
    harvested.store.begin_run(100 * DAY, budget=1, revisit=True)
    assert harvested.frontier.counts().waiting == 2
    harvested.store.end_run(101 * DAY, Reason(Code.BUDGET))
    assert harvested.frontier.counts().waiting == 1, "a link that was never fetched"


@pytest.mark.parametrize(
    ("strayed", "days", "is_planned"), [(1, 3, False), (1, 4, True), (3, 4, True), (5, 13, False), (5, 15, True)]
)
def test_a_page_that_was_found_off_topic_is_tried_at_growing_intervals(
    harvested, off_topic, strayed: int, days: int, is_planned: bool
) -> None:
    at = 0.0
    for _ in range(strayed):
        at += 4 * DAY
        claims = [claim for claim in visit_again(harvested, A, now=at) if claim.url == A]
        harvested.store.commit([off_topic(claim, at=at) for claim in claims])
    with harvested.database.transaction() as connection:
        planned = plan(connection, 1, at + days * DAY)
        ((row,),) = connection.execute(text("SELECT id FROM urls WHERE url = :url"), {"url": A}).all()
    assert (row in planned) is is_planned


@pytest.mark.parametrize(("chance", "is_planned"), [(0.05, False), (0.2, True)])
def test_a_new_post_without_a_text_is_asked_again(harvested, off_topic, kept, chance: float, is_planned: bool) -> None:
    """Some sites publish a title first."""
    harvested.frontier.add([NewUrl(D, worth_of_new(chance), pinned=True)], now=0)
    (claim,) = [claim for claim in harvested.claim(now=DAY) if claim.url == D]
    empty = off_topic(claim, at=DAY)
    bare = replace(empty.analysis, extraction=replace(empty.analysis.extraction, body="", kind=PageKind.LIST))
    harvested.store.commit([replace(empty, analysis=bare)])
    with harvested.database.transaction() as connection:
        planned = plan(connection, 1, 5 * DAY)
        assert count_textless(connection, 1, 0.5 * DAY, 9 * DAY) == is_planned
    assert (planned.get(claim.id, 0.0) > 1.0) is is_planned, "lists are worth a little too"
    (claim, *_) = visit_again(harvested, D, now=5 * DAY)
    assert harvested.store.commit([kept(claim, "如今有了正文", at=5 * DAY)]) == [Outcome.KEPT]
    assert rows(harvested, f"SELECT strayed FROM visits WHERE url_id = {claim.id}") == [(0,)]
