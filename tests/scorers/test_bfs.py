"""Breadth first: levels in order, first come, first served."""

from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.bfs import BreadthFirst


def test_the_score_is_the_depth_below_zero() -> None:
    outlinks = (Outlink(Link("b"), 0.9), Outlink(Link("c"), 0.0))
    assert BreadthFirst().observe(JudgedPage("a", 0.9, True, 0.1, 2, 0, outlinks)) == {"b": -3.0, "c": -3.0}
