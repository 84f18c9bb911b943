"""IPageRank as a link scorer gives the thesis' prediction, at once and after a ranking (papers.md 4.8,
4.9)."""

import random

import networkx as nx
import pytest

from crawler.rank.ipagerank import ipagerank
from crawler.rank.pagerank import LEAST_VALUE
from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.discounts import TUNNEL_KEEP
from crawler.scorers.papers.ipagerank import DENOM_FLOOR, TELL_ABOVE, IPageRankRW, IPageRankRWB
from crawler.scorers.papers.ranked import RANK_EVERY
from crawler.scorers.papers.rw import LINK_THRESHOLD


def page(
    url: str,
    links: dict[str, float],
    nearness: float = 0.5,
    on_topic: bool = True,
    text: float = 0.0,
    distance: int = 0,
) -> JudgedPage:
    outlinks = tuple(Outlink(Link(target), 0.0, 0.0, relevance) for target, relevance in links.items())
    return JudgedPage(url, nearness, on_topic, text, 0, distance, outlinks)


def test_c7() -> None:
    """Worked example C7: two parents, shares .6 and .5."""
    made = IPageRankRW()
    made.observe(page("http://t.example/1", {"A": 0.6, "x": 0.2, "y": 0.0, "z": 0.2}, nearness=0.8))
    told = made.observe(page("http://u.example/2", {"A": 0.5, "v": 0.5}, nearness=0.5))
    assert told["A"] == pytest.approx(0.7705)


def test_a_page_with_weak_links_only_does_not_hand_on_everything() -> None:
    told = IPageRankRW().observe(page("http://t.example/", {"A": 0.2}, nearness=1.0))
    assert told["A"] == pytest.approx(LEAST_VALUE + 0.85 * 0.2 / DENOM_FLOOR)


def test_scores_after_ranking_are_those_of_rank() -> None:
    """A closed set of a hundred pages on as many hosts, ranked, against the function on a networkx graph."""
    chance = random.Random(5)
    made, graph, initial = IPageRankRW(), nx.DiGraph(), {}
    for n in range(RANK_EVERY):
        links = {f"http://{to}.example/": chance.uniform(LINK_THRESHOLD, 1) for to in chance.sample(range(200), 6)}
        links.pop(f"http://{n}.example/", None)
        initial[f"http://{n}.example/"] = nearness = chance.random()
        made.observe(page(f"http://{n}.example/", links, nearness))
        graph.add_weighted_edges_from((f"http://{n}.example/", *link) for link in links.items())
    expected = dict(zip(graph, ipagerank(graph, initial, floor=DENOM_FLOOR).tolist(), strict=True))
    told = made.refresh()
    assert len(told) > 20
    assert told == pytest.approx({url: expected[url] for url in told}, abs=1e-6)
    assert made.refresh() == {}


def test_small_moves_are_not_told() -> None:
    made = IPageRankRW()
    for n in range(RANK_EVERY):
        made.observe(page(f"http://{n}.example/", {"A": 1.0} if n == 0 else {}, nearness=LEAST_VALUE))
    assert TELL_ABOVE > 0
    assert made.refresh() == {}  # its only parent is worth 0.15 before and after


def test_boost_for_links_of_topic_pages_only() -> None:
    silent = {"A": 0.0}
    assert IPageRankRW().observe(page("http://t.example/", silent, text=0.5))["A"] == LEAST_VALUE
    assert IPageRankRWB().observe(page("http://t.example/", silent, text=0.5))["A"] > LEAST_VALUE
    assert IPageRankRWB().observe(page("http://t.example/", silent, on_topic=False, text=0.5))["A"] == LEAST_VALUE


def test_the_penalty_grows_with_the_distance() -> None:
    told = [
        IPageRankRW().observe(page("http://t.example/", {"A": 0.8}, on_topic=False, distance=distance))["A"]
        for distance in range(4)
    ]
    gains = [score - LEAST_VALUE for score in told]
    assert gains[0] == pytest.approx(0.85 * LEAST_VALUE * TUNNEL_KEEP * 0.8)
    assert gains[1:] == pytest.approx([TUNNEL_KEEP * gain for gain in gains[:-1]])


def test_a_topic_parent_counts_for_more_than_an_off_topic_one() -> None:
    off = IPageRankRW().observe(page("http://t.example/", {"A": 0.8}, on_topic=False))["A"]
    on = IPageRankRW().observe(page("http://t.example/", {"A": 0.8}, nearness=0.3))["A"]
    assert on > off > LEAST_VALUE


def test_another_seed_gives_other_draws() -> None:
    weak = page("http://t.example/", {"A": LINK_THRESHOLD / 2}, text=0.5)
    assert IPageRankRWB(1).observe(weak) != IPageRankRWB(2).observe(weak)
