"""Memory has a bound: when many URLs wait, only what can still matter stays."""

import random

import numpy as np
import pytest

from crawler.records import Ended, JudgedPage, Link, Outcome, Outlink
from crawler.scorers.discounts import Navigation
from crawler.scorers.learned import scorer as learned
from crawler.scorers.learned.ipagerank import IPageRankLearned
from crawler.scorers.learned.scorer import Learned
from crawler.scorers.learned.url_table import NOT_WAITING, Table
from crawler.scorers.state import packed, unpacked

MOST, KEPT = 1200, 600


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned, "MOST_ROWS", MOST)
    monkeypatch.setattr(learned, "KEPT_ROWS", KEPT)


def endless(pages: int, links: int = 40, seed: int = 1) -> list[JudgedPage]:
    """A web whose pages link to new ones of five hosts, to fetched ones and to a home page; a third is on topic."""
    chance, found, known = random.Random(seed), [], ["http://h0.example/"]
    for n in range(pages):
        url = known.pop(chance.randrange(len(known)))
        new = [f"http://h{chance.randrange(5)}.example/{n}/{k}" for k in range(links)]
        known += new
        targets = [*new, *(page.url for page in found[-3:]), "http://h0.example/"]
        outlinks = [
            Outlink(Link(to, "甲类" if k % 3 else "乙类", tag_path=f"p{k % 4}"), chance.random())
            for k, to in enumerate(targets)
        ]
        nearness = chance.choice([0.0, 0.1, 0.8])
        found.append(JudgedPage(url, nearness, nearness > 0.3, nearness / 2, 1, 0, tuple(outlinks), 1.0))
    return found


def scores(scorer: Learned, urls: list[str]) -> list[float]:
    rows = [row for url in urls if (row := scorer._table.find(url)) is not None]
    assert len(rows) == len(urls)
    return [float(score) for score in scorer._value(np.array(rows))]


@pytest.mark.parametrize("kind", [Learned, IPageRankLearned])
def test_what_stays_is_worth_what_it_was(kind: type[Learned]) -> None:
    """To the last digit, and after the next fit nearly so: hubs and hosts still know of the links that are gone."""
    scorer = kind()
    for page in endless(28):
        scorer.observe(page)
    waiting = scorer._table.score[: len(scorer._table)] > NOT_WAITING
    scorer._hubs.lift(scorer._table.chance[: len(scorer._table)][waiting].astype(float))  # as after a fit
    whole, less = unpacked(packed(scorer)), unpacked(packed(scorer))
    assert isinstance(whole, Learned) and isinstance(less, Learned)
    less._forget()
    kept = [url for url in less._table.urls if not less._table.done[less._table.find(url)]]
    assert len(kept) == KEPT < len(whole._table) - 100
    assert scores(whole, kept) == scores(less, kept)
    best = float(np.sort(whole._table.score[: len(whole._table)])[-KEPT])
    assert min(float(whole._table.score[whole._table.find(url)]) for url in kept) == best
    for each in (whole, less):
        each._hubs.fit(each._examples, each._table)
    assert scores(less, kept) == pytest.approx(scores(whole, kept), abs=0.005)


@pytest.mark.parametrize("kind", [Learned, IPageRankLearned])
def test_the_table_has_a_bound_and_a_crawl_goes_on(kind: type[Learned], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.scorers.learned.ipagerank.MOST_CLOSED", 20)
    scorer = kind()
    pages = endless(150)
    fetched: set[str] = set()
    for page in pages:
        fetched.add(page.url)
        told = scorer.observe(page)
        assert told.keys() == {found.link.url for found in page.outlinks} - fetched, "each new link has a score"
        assert all(np.isfinite(score) for score in [*told.values(), *scorer.refresh().values()])
        assert len(scorer._table) < MOST + 45
        scorer.observe_end(Ended(page.outlinks[0].link.url, Outcome.FAILED))
        fetched.add(page.outlinks[0].link.url)
    assert len(scorer._table._past) > 50, "what was done stays so"
    assert sum(map(len, scorer._evidence._names.values())) < 2000
    if isinstance(scorer, IPageRankLearned):
        assert len(scorer._graph) < MOST + 45
        assert set(scorer._closed) <= set(scorer._graph) <= set(range(len(scorer._table)))


def test_a_scorer_that_has_forgotten_is_kept_and_goes_on() -> None:
    scorer = IPageRankLearned()
    pages = endless(80)
    for page in pages[:60]:
        scorer.observe(page)
    again = unpacked(packed(scorer))
    for page in pages[60:]:
        assert scorer.observe(page) == again.observe(page)
        assert scorer.refresh() == again.refresh()


def test_a_forgotten_url_is_done_or_new() -> None:
    table = Table()
    table.add(["a", "b", "c", "d"])
    table.done[[0, 1]] = True
    table.move(1, "B")
    new = table.keep(np.array([False, False, True, False]))
    assert new.tolist() == [-1, -1, 0, -1]
    assert table.is_past(["a", "b", "B", "c", "d", "e"]) == [True, True, True, False, False, False]
    rows, is_new = table.add(["c", "d"])
    assert (rows.tolist(), is_new.tolist()) == ([0, 1], [False, True])
    table.add(["a"])  # visited again, say
    assert not table.is_past(["a"])[0]


def test_a_further_page_knows_its_first_one_as_long_as_that_stays() -> None:
    table = Table()
    table.add([f"http://a.example/{name}" for name in "abcd"])
    table.first[[1, 3]] = 1 + np.array([2, 0])  # b goes on with c, d with a
    table.keep(np.array([False, True, True, True]))
    assert table.urls[table.first[0] - 1] == "http://a.example/c"
    assert table.first[:3].tolist() == [2, 0, 0]


def test_navigation_forgets_what_was_shown_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.scorers.discounts.MOST_TARGETS", 100)
    navigation = Navigation()
    for page in endless(60):
        outlinks = (*page.outlinks, Outlink(Link(f"{page.url.partition('.example')[0]}.example/about"), 0.0))
        repeated = navigation.observe(JudgedPage(page.url, 0.0, False, 0.0, 1, 0, outlinks, 1.0))
    assert len(navigation._shown) < 200
    assert any(url.endswith("/about") for url in repeated)
