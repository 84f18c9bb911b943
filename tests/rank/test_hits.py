"""Worked example D3 (papers.md 6.1.2)."""

import networkx as nx
import pytest

from crawler.rank.hits import hits


def test_d3_one_round() -> None:
    hubs, authorities = hits(nx.DiGraph([("1", "2"), ("1", "3"), ("2", "3")]), rounds=1)
    assert authorities == pytest.approx([0, 0.447214, 0.894427], abs=1e-6)
    assert hubs == pytest.approx([0.832050, 0.554700, 0], abs=1e-6)


def test_agrees_with_networkx() -> None:
    graph = nx.gnp_random_graph(12, 0.4, seed=3, directed=True)
    for ours, theirs in zip(hits(graph, rounds=500), nx.hits(graph, tol=1e-12), strict=True):
        assert ours / ours.sum() == pytest.approx(list(theirs.values()), abs=1e-5)


def test_no_links() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    assert [values.tolist() for values in hits(graph)] == [[], []]
    graph.add_node("a")
    assert [values.tolist() for values in hits(graph)] == [[0.0], [0.0]]
