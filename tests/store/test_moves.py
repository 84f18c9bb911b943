"""Pages whose site gives them other addresses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pytest
from sqlalchemy import text

from crawler.clock import DAY
from crawler.frontier.new_urls import NewUrl
from crawler.questions.runs import run_named
from crawler.reader.text.minhash import signature
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Claim, Extraction, Judgement, Link, Outcome, Outlink, Seen, Visit
from crawler.store.compression import reader
from crawler.store.renamed.departures import IN_VAIN
from crawler.store.renamed.pages import ASK_AFTER, FIRST
from crawler.store.revisits import worth_of_new, worths
from crawler.store.sources import sources
from tests.stored import count, rows
from zhuti.corpus.export import export_lake
from zhuti.news.news import news_of

OLD = [f"https://a.example/{n}.html" for n in range(6)]
NEW = [f"https://a.example/posts/{n}/" for n in range(6)]
HOME, OTHER = "https://a.example/", "https://a.example/other.html"
COPY = "https://copy.example/0.html"
Made = Callable[..., Visit]


def texts(crawl: Any, query: str) -> list[tuple[Any, str]]:
    """Of a query for two columns, the second with the text that is packed there."""
    with crawl.database.transaction() as connection:
        codec = reader(connection)
        return [(first, codec.unpack_text(packed)) for first, packed in connection.execute(text(query))]


def words(number: int) -> str:
    return "".join(f"第{number}篇文章的第{n * (number + 7) % 97}句，" for n in range(60))


def open_again(crawl: Any, *urls: str, now: float) -> dict[str, Claim]:
    known = dict(rows(crawl, f"SELECT url, id FROM urls WHERE topic_id = {crawl.frontier.topic_id}"))
    crawl.frontier.revisits.add({known[url]: 9.0 for url in urls if url in known})
    crawl.frontier.seed([url for url in urls if url not in known], now=now)
    return {claim.url: claim for claim in crawl.claim(now=now)}


def signed(visit: Visit, text: str) -> Visit:
    """With what near-duplicates are found by, and what tells that a page is unchanged."""
    assert visit.analysis is not None
    return replace(visit, analysis=replace(visit.analysis, signature=signature(text)), seen=Seen("tag", content=b"1"))


def lost(claim: Claim, at: float, target: str = "") -> Visit:
    if target:
        return Visit(claim, Outcome.REDIRECT, at, 301, Reason(Code.REDIRECT, url=target), target=target)
    return Visit(claim, Outcome.FAILED, at, 404, Reason(Code.STATUS, status=404))


@pytest.fixture
def site(crawl: Any, kept: Made) -> Any:
    """Pages that were kept on day 0."""
    crawl.frontier.seed(OLD, now=0)
    visits = [(kept(claim, words(OLD.index(claim.url)), at=0.0)) for claim in crawl.claim()]
    crawl.store.commit([signed(visit, words(OLD.index(visit.claim.url))) for visit in visits])
    crawl.store.begin_run(DAY, revisit=True)
    return crawl


def addresses(crawl: Any) -> dict[str, str | None]:
    """Address and former address of each kept page."""
    return dict(
        rows(
            crawl,
            "SELECT pages.url, moved_from FROM pages JOIN judgements ON page_id = pages.id"
            " JOIN urls ON urls.id = url_id WHERE outcome = 'kept' AND urls.url = pages.url ORDER BY pages.id",
        )
    )


def test_the_old_address_was_missing_before(site: Any, kept: Made) -> None:
    claims = open_again(site, OLD[0], now=2 * DAY)
    site.store.commit([lost(claims[OLD[0]], 2 * DAY)])
    assert addresses(site) == dict.fromkeys(OLD), "one miss is not a move"
    before = rows(site, "SELECT id, digest FROM pages WHERE body IS NOT NULL ORDER BY id")
    claims = open_again(site, NEW[0], now=3 * DAY)
    assert site.store.commit([kept(claims[NEW[0]], words(0), at=3 * DAY)]) == [Outcome.DUPLICATE]
    assert addresses(site) == {NEW[0]: OLD[0]} | dict.fromkeys(OLD[1:])
    assert rows(site, "SELECT id, digest FROM pages WHERE body IS NOT NULL ORDER BY id") == before
    assert rows(site, f"SELECT fetched_at FROM pages WHERE url = '{NEW[0]}'") == [(3 * DAY,)]
    assert rows(site, f"SELECT gone_at FROM pages WHERE url = '{OLD[0]}'") == [(3 * DAY,)]
    site.store.end_run(4 * DAY, Reason(Code.FINISHED))
    with site.database.transaction() as connection:
        news = news_of(connection, "t", *run_named(connection, "t", "last"))
    assert [(item.url, item.former) for item in news.moved] == [(NEW[0], OLD[0])]
    assert (news.new, news.gone, news.counts) == ((), (), (0, 0, 0, 1, 0))


def test_a_lake_follows(site: Any, kept: Made, tmp_path: Path) -> None:
    """A page that has moved stays in the lake, under its new address."""
    export_lake(site.database, "t", str(tmp_path / "lake"), ["host"])
    site.store.commit([lost(open_again(site, OLD[0], now=2 * DAY)[OLD[0]], 2 * DAY)])
    site.store.commit([kept(open_again(site, NEW[0], now=3 * DAY)[NEW[0]], words(0), at=3 * DAY)])
    for place in ("lake", "fresh"):
        export_lake(site.database, "t", str(tmp_path / place), ["host"])
        table = pyarrow.dataset.dataset(tmp_path / place, format="parquet").to_table(["url", "body"]).to_pylist()
        wanted = dict(zip([NEW[0], *OLD[1:]], map(words, range(6)), strict=True))
        assert {row["url"]: row["body"] for row in table} == wanted


@pytest.mark.parametrize("target", ["", NEW[0]])
def test_the_new_address_is_found_first(site: Any, kept: Made, target: str) -> None:
    """The old one is asked then, and found missing or leading to the new one."""
    claims = open_again(site, NEW[0], now=2 * DAY)
    site.store.commit([kept(claims[NEW[0]], words(0), at=2 * DAY)])
    assert addresses(site) == dict.fromkeys(OLD)
    [claim] = site.claim(now=2 * DAY)
    assert claim.url == OLD[0], "is it still there?"
    site.store.commit([lost(claim, 2 * DAY + 1, target)])
    assert addresses(site) == {NEW[0]: OLD[0]} | dict.fromkeys(OLD[1:])
    claims = open_again(site, NEW[0], now=5 * DAY)
    today = words(0) + "和站内新的样子"
    assert site.store.commit([signed(kept(claims[NEW[0]], today, at=5 * DAY), today)]) == [Outcome.UNCHANGED]
    assert rows(site, f"SELECT fetched_at FROM pages WHERE url = '{NEW[0]}'") == [(5 * DAY,)], "moved, not changed too"
    assert count(site, "versions") == 1
    claims = open_again(site, NEW[0], now=6 * DAY)
    assert site.store.commit([kept(claims[NEW[0]], words(9) + "改写过了", at=6 * DAY)]) == [Outcome.CHANGED]
    assert rows(site, "SELECT url FROM versions JOIN pages ON pages.id = page_id") == [(NEW[0],)] * 2


def test_a_page_with_two_addresses_stays_where_it_was_found(site: Any, kept: Made) -> None:
    claims = open_again(site, NEW[0], now=2 * DAY)
    site.store.commit([kept(claims[NEW[0]], words(0), at=2 * DAY)])
    [claim] = site.claim(now=2 * DAY)
    site.store.commit([kept(claim, words(0), at=2 * DAY)])
    assert addresses(site) == dict.fromkeys(OLD)
    claims = open_again(site, NEW[0], now=2 * DAY + 9)
    site.store.commit([kept(claims[NEW[0]], words(0), at=2 * DAY + 9)])
    assert not site.claim(now=2 * DAY + 9), f"not again within {ASK_AFTER} days"


def worth_of(site: Any, day: float) -> dict[str, float]:
    """What another visit of each old address is worth."""
    with site.database.transaction() as connection:
        worth = worths(sources(connection, 1), day * DAY)
    known = dict(rows(site, "SELECT url, id FROM urls"))
    return {url: worth[known[url]].right for url in OLD if known[url] in worth}


def test_a_site_renames_all_at_once(site: Any, kept: Made) -> None:
    """When two were missing the others are not asked page by page: one is each day, and those that were not found
    elsewhere after a week, once."""
    claims = open_again(site, *OLD[:2], now=2 * DAY)
    site.store.commit([lost(claims[url], 2 * DAY) for url in OLD[:2]])
    assert len(worth_of(site, 3)) == 1
    assert all(worth_of(site, 9)[url] > 0.05 for url in OLD[2:])


def news(crawl: Any) -> dict[str, float]:
    """The URLs that wait as news, with their scores."""
    return dict(rows(crawl, "SELECT url, score FROM urls WHERE pinned AND state = 0"))


def home(claim: Claim, at: float, links: dict[str, str]) -> Visit:
    """A home page with these links, by address."""
    found = tuple(Outlink(Link(url, anchor), 0.3) for url, anchor in links.items())
    judged = Analysis(Extraction("首页", ""), Judgement(0.1, False, 0.1), found)
    return Visit(claim, Outcome.OFF_TOPIC, at, 200, Reason.of("less similar"), analysis=judged)


def test_a_link_by_the_title_of_a_known_page_is_worth_what_that_page_is(site: Any) -> None:
    site.frontier.seed([HOME, OTHER], now=0)
    claims = {claim.url: claim for claim in site.claim(now=DAY)}
    fishing = Analysis(Extraction("钓鱼", words(9)), Judgement(0.1, False, 0.1))
    site.store.commit(
        [Visit(claims[OTHER], Outcome.OFF_TOPIC, DAY, 200, analysis=fishing), home(claims[HOME], DAY, {})]
    )
    claim = open_again(site, HOME, now=3 * DAY)[HOME]
    site.store.commit([home(claim, 3 * DAY, dict(zip(NEW, [" 题目", "钓鱼", "", "新茶"], strict=False)))])
    found = [worth_of_new(chance) for chance in (0.5, 0.0, 0.3, 0.3)]
    assert [news(site)[url] for url in NEW[:4]] == found, "of the last two nothing is known"


def test_while_pages_are_missing_the_file_name_tells_too(site: Any) -> None:
    site.frontier.seed([HOME], now=0)
    claims = open_again(site, *OLD[:2], HOME, now=DAY)
    site.store.commit([home(claims[HOME], DAY, {}), *(lost(claims[url], DAY) for url in OLD[:2])])
    moved = {f"https://a.example/posts/{n}.html": "more" for n in range(2, 8)} | {
        OLD[4].replace("https", "http"): "more"
    }
    site.store.commit([home(open_again(site, HOME, now=3 * DAY)[HOME], 3 * DAY, moved)])
    found = [worth_of_new(chance) for chance in (0.5, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3)]
    assert [news(site)[url] for url in moved] == found, "as similar as the pages that the site had under these names"


def test_new_addresses_come_first_once_two_pages_have_moved(site: Any, kept: Made) -> None:
    """Those that wait already, and those that pages show that are visited for the first time: a post at its new address
    leads to its neighbours."""
    site.frontier.seed([HOME], now=0)
    site.store.commit([home(site.claim(now=DAY)[0], DAY, {NEW[3]: "", OTHER: ""})])
    claims = open_again(site, *OLD[:2], now=DAY)
    site.frontier.release([claim for url, claim in claims.items() if url not in OLD])
    site.store.commit([lost(claims[url], DAY) for url in OLD[:2]])
    assert not news(site), "they may be gone"
    claims = open_again(site, *NEW[:2], now=2 * DAY)
    site.frontier.release([claim for url, claim in claims.items() if url not in NEW[:2]])
    site.store.commit([kept(claims[url], words(n), at=2 * DAY) for n, url in enumerate(NEW[:2])])
    assert news(site) == {NEW[3]: FIRST + 0.5}
    [claim] = site.claim(1, now=2 * DAY)
    site.store.commit([home(claim, 2 * DAY, {NEW[4]: "", HOME + "about": ""})])
    assert news(site) == {NEW[4]: FIRST + 0.5}
    claims = open_again(site, NEW[5], now=2 * DAY)
    site.store.commit([kept(claims[NEW[5]], words(5), at=2 * DAY)])
    assert addresses(site)[NEW[5]] == OLD[5], "nobody needs to ask for the old one"


def test_new_links_that_lead_nowhere_take_no_more_of_a_run(site: Any, kept: Made) -> None:
    """A site shows new addresses for a day, which are not there on the next: all others come last then."""
    shown = [f"https://a.example/tmp/{n}/" for n in range(IN_VAIN + 2)]
    site.frontier.add([NewUrl(url, 900.0 - n, pinned=True) for n, url in enumerate(shown)], now=DAY)
    claims = site.claim(IN_VAIN, now=2 * DAY)
    assert [claim.url for claim in claims] == shown[:IN_VAIN]
    site.store.commit([lost(claim, 2 * DAY) for claim in claims[:-1]])
    assert set(news(site).values()) == {900.0 - n for n in range(IN_VAIN, IN_VAIN + 2)}
    site.store.commit([lost(claims[-1], 2 * DAY)])
    assert set(news(site).values()) == {0.0}


def test_a_page_that_has_moved_takes_todays_text_along(site: Any, kept: Made) -> None:
    """The old text is a version where words of its own are others. Where the new address was read before the old one
    was found missing, it is read again."""
    claims = open_again(site, OLD[0], now=2 * DAY)
    site.store.commit([lost(claims[OLD[0]], 2 * DAY)])
    claims = open_again(site, NEW[0], NEW[1], now=3 * DAY)
    today = words(0) + "".join(f"今天改写过的句子{n}，" for n in "甲乙丙丁戊己庚辛壬癸")
    visits = [signed(kept(claims[url], text, at=3 * DAY), text) for url, text in ((NEW[0], today), (NEW[1], words(1)))]
    site.store.commit(visits)
    assert [text for _, text in texts(site, f"SELECT url, body FROM pages WHERE url = '{NEW[0]}'")] == [today]
    assert texts(site, "SELECT page_id, body FROM versions") == [(1, words(0))]
    claims = {claim.url: claim for claim in site.claim(now=3 * DAY)}
    site.store.commit([lost(claims[OLD[1]], 3 * DAY)])
    [claim] = site.claim(now=3 * DAY)
    assert (claim.url, claim.seen) == (NEW[1], Seen()), "whatever its tag is"
    assert site.store.commit([kept(claim, words(1) + "\n2026", at=4 * DAY)]) == [Outcome.UNCHANGED]
    assert texts(site, f"SELECT url, body FROM pages WHERE url = '{NEW[1]}'") == [(NEW[1], words(1) + "\n2026")]


def test_a_page_that_left_with_its_host_is_gone_at_one_more_miss(site: Any, kept: Made) -> None:
    claims = open_again(site, *OLD[:3], now=2 * DAY)
    site.store.commit([lost(claims[url], 2 * DAY) for url in OLD[:3]])
    for day, ended in ((8, Outcome.FAILED), (9.5, Outcome.GONE)):
        claims = open_again(site, OLD[2], OLD[3 if day > 9 else 4], now=day * DAY)
        assert set(site.store.commit([lost(claim, day * DAY) for claim in claims.values()])) == {ended}


def test_a_few_pages_that_were_removed_take_no_others_along(site: Any, kept: Made) -> None:
    """A site that answers 404 to everything for an hour."""
    claims = open_again(site, *OLD, now=2 * DAY)
    site.store.commit([lost(claims[url], 2 * DAY) for url in OLD[:2]])
    site.store.commit([kept(claims[url], words(OLD.index(url)), at=2 * DAY) for url in OLD[2:]])
    claims = open_again(site, *OLD[2:], now=20 * DAY)
    assert set(site.store.commit([lost(claim, 20 * DAY) for claim in claims.values()])) == {Outcome.FAILED}


def test_a_copy_on_another_site_does_not_take_the_place_of_a_page_that_is_gone(site: Any, kept: Made) -> None:
    """It is kept by itself when it is next visited."""
    claims = open_again(site, COPY, now=DAY)
    site.store.commit([kept(claims[COPY], words(0), at=DAY)])
    for day in (2, 6, 10):
        assert COPY not in addresses(site)
        claims = open_again(site, OLD[0], now=day * DAY)
        site.store.commit([lost(claims[OLD[0]], day * DAY)])
    assert COPY not in addresses(site)
    claims = open_again(site, COPY, now=11 * DAY)
    assert site.store.commit([kept(claims[COPY], words(0), at=11 * DAY)]) == [Outcome.KEPT]


def test_what_another_topic_keeps_stays(site: Any, kept: Made, open_crawl: Any) -> None:
    site.database.close()
    other = open_crawl(site.url, "other")
    other.frontier.seed([OLD[0]], now=0)
    other.store.commit([kept(claim, words(0), at=0.0) for claim in other.claim()])
    other.database.close()
    site.open()
    claims = open_again(site, OLD[0], now=2 * DAY)
    site.store.commit([lost(claims[OLD[0]], 2 * DAY)])
    claims = open_again(site, NEW[0], now=3 * DAY)
    site.store.commit([kept(claims[NEW[0]], words(0), at=3 * DAY)])
    assert rows(site, f"SELECT count(*) FROM judgements JOIN pages ON pages.id = page_id WHERE url = '{OLD[0]}'") == [
        (2,)
    ]
