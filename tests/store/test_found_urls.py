"""What waits: seeds, and because of a visit."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.discovery.index_files import FoundBy, IndexFile, Kind
from crawler.discovery.site_search import ANSWERS, NEXT
from crawler.records import Analysis, Claim, Judgement, Link, Outcome, Visit
from crawler.store.found_urls import found_urls, seed
from crawler.store.renamed.departures import Departures
from crawler.store.revisits import worth_of_new

NOBODY: Any = None  # the connection, which is asked about pages that were visited before alone


@pytest.mark.parametrize(("hops", "found"), [(0, True), (ANSWERS - 2, True), (ANSWERS - 1, False)])
def test_further_answers_of_a_search_come_to_an_end(hops: int, found: bool) -> None:
    claim = Claim(1, "http://a.example/?s=java", 1.0, hops=hops, index_kind="search")
    further = Link("http://a.example/?s=java&page=9", rel=NEXT, index_kind="search")
    word, post = Link("http://a.example/?s=jvm", index_kind="search"), Link("http://a.example/1", rel=NEXT)
    links = [post, word, further]
    scores = {link.url: 1.0 for link in links}
    visit = Visit(claim, Outcome.INDEX_FILE, 0.0)
    waiting = found_urls(NOBODY, 1, visit, Analysis(), links, scores, lambda url, score: 1.0, Departures(1))
    assert {url.url: url.hops for url in waiting} == {
        post.url: 0,
        word.url: 0,
        **({further.url: hops + 1} if found else {}),
    }


@pytest.mark.parametrize(("chance", "revisits", "pinned"), [(0.6, True, True), (0.4, True, False), (0.6, False, False)])
def test_a_likely_post_that_a_new_page_shows_goes_before_revisits(
    crawl: Any, chance: float, revisits: bool, pinned: bool
) -> None:
    visit, post = Visit(Claim(1, "http://a.example/new", 1.0), Outcome.KEPT, 0.0), Link("http://a.example/1")
    with crawl.database.transaction() as connection:
        where = connection, 1, visit, Analysis(judgement=Judgement(0.5, True)), [post]
        (found,) = found_urls(*where, {post.url: 1.0}, lambda url, score: chance, Departures(1), revisits)
    assert found.pinned == pinned and (found.score == worth_of_new(chance)) == pinned


def test_index_files_of_new_seeds_are_claimed_before_the_seeds(crawl: Any) -> None:
    home, post, known = "https://a.example/", "https://b.example/1.html", "https://old.example/"
    crawl.frontier.seed([known], now=0)
    crawl.frontier.end(crawl.claim(now=0))
    places = [IndexFile(f"{site}sitemap.xml", Kind.SITEMAP, FoundBy.GUESS) for site in (home, known)]
    with crawl.database.transaction() as connection:
        seed(connection, crawl.frontier.topic_id, crawl.frontier, [post, home, known], places, now=1)
    claims = crawl.claim(now=1)
    assert [claim.url for claim in claims] == [f"{home}sitemap.xml", post, home]
    assert [claim.index_kind for claim in claims] == ["sitemap", "", ""]


def test_what_the_index_file_of_a_seed_lists_is_no_seed() -> None:
    claim = Claim(1, "http://a.example/sitemap.xml", 1.0, depth=0, index_kind="sitemap")
    post = Link("http://a.example/1")
    visit = Visit(claim, Outcome.INDEX_FILE, 0.0)
    waiting = found_urls(NOBODY, 1, visit, Analysis(), [post], {post.url: 0.5}, lambda url, score: score, Departures(1))
    assert [url.depth for url in waiting] == [1]
