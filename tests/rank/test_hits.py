"""Worked example D3 (papers.md 6.1.2)."""

import networkx as nx
import pytest

from crawler.rank.hits import hits


def test_d3_one_round() -> None:
    hubs, authorities = hits(nx.DiGraph([("1", "2"), ("1", "3"), ("2", "3")]), rounds=1)
    assert authorities == pytest.approx({"1": 0, "2": 0.447214, "3": 0.894427}, abs=1e-6)
    assert hubs == pytest.approx({"1": 0.832050, "2": 0.554700, "3": 0}, abs=1e-6)


def test_agrees_with_networkx() -> None:
    graph = nx.gnp_random_graph(12, 0.4, seed=3, directed=True)
    hubs, authorities = hits(graph, rounds=500)
    their_hubs, their_authorities = nx.hits(graph, tol=1e-12)
    for ours, theirs in ((hubs, their_hubs), (authorities, their_authorities)):
        total = sum(ours.values())
        assert {page: value / total for page, value in ours.items()} == pytest.approx(theirs, abs=1e-5)


def test_no_links() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_node("a")
    assert hits(graph) == ({"a": 0.0}, {"a": 0.0})
    assert hits(nx.DiGraph()) == ({}, {})
