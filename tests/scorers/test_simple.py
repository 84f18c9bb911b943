"""Breadth first by levels; parent and best first on single links."""

import pytest

from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.simple import BestFirst, BreadthFirst, Parent


def page(url: str, nearness: float, *outlinks: Outlink) -> JudgedPage:
    return JudgedPage(url, nearness, nearness >= 0.3, nearness, 0, 0, outlinks)


def link(url: str, own: float = 0.0, around: float = 0.0, noise: bool = False) -> Outlink:
    return Outlink(Link(url, noise=noise), around, own, own)


def test_breadth_first_scores_by_the_depth_below_zero() -> None:
    outlinks = (Outlink(Link("b"), 0.9), Outlink(Link("c"), 0.0))
    assert BreadthFirst().observe(JudgedPage("a", 0.9, True, 0.1, 2, 0, outlinks)) == {"b": -3.0, "c": -3.0}


def test_parent_trusts_pages_on_topic_and_no_noise() -> None:
    scorer = Parent()
    assert scorer.observe(page("p", 0.5, link("a"), link("b", noise=True))) == {"a": 1.0, "b": 0.0}
    assert scorer.observe(page("q", 0.1, link("a"), link("c"))) == {"a": 1.0, "c": 0.0}


def test_best_first_takes_the_best_of_several_pages() -> None:
    scorer = BestFirst()
    assert scorer.observe(page("p", 0.6, link("a", own=0.2)))["a"] == pytest.approx(0.4)
    assert scorer.observe(page("q", 0.0, link("a", own=0.4)))["a"] == pytest.approx(0.4)
