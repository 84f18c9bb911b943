"""What waits because of a visit."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.discovery.site_search import ANSWERS, NEXT
from crawler.records import Analysis, Claim, Link, Outcome, Visit
from crawler.store.found_urls import found_urls

NOBODY: Any = None  # the connection, which is asked about pages that were visited before alone


@pytest.mark.parametrize(("hops", "found"), [(0, True), (ANSWERS - 2, True), (ANSWERS - 1, False)])
def test_further_answers_of_a_search_come_to_an_end(hops: int, found: bool) -> None:
    claim = Claim(1, "http://a.example/?s=java", 1.0, hops=hops, index_kind="search")
    further = Link("http://a.example/?s=java&page=9", rel=NEXT, index_kind="search")
    word, post = Link("http://a.example/?s=jvm", index_kind="search"), Link("http://a.example/1", rel=NEXT)
    links = [post, word, further]
    scores = {link.url: 1.0 for link in links}
    visit = Visit(claim, Outcome.INDEX_FILE, 0.0)
    waiting = found_urls(NOBODY, 1, visit, Analysis(), links, scores, lambda url, score: 1.0)
    assert {url.url: url.hops for url in waiting} == {
        post.url: 0,
        word.url: 0,
        **({further.url: hops + 1} if found else {}),
    }
