"""The link graph's numbers, and its two faces."""

import networkx as nx

from crawler.rank.graph import LinkGraph


def test_numbers_follow_first_sight() -> None:
    graph = LinkGraph()
    assert graph.add("a", [("b", 1.0), ("a", 1.0), ("c", 0.5)]) == [(1, 1.0), (2, 0.5)]
    assert (len(graph), graph.links) == (3, 2)
    assert [graph.url(n) for n in range(3)] == ["a", "b", "c"]
    assert "c" in graph and "d" not in graph


def test_double_links_add_up() -> None:
    graph = LinkGraph()
    graph.add("a", [("b", 0.25), ("b", 0.5)])
    assert graph.matrix().toarray().tolist() == [[0, 0], [0.75, 0]]
    assert graph.digraph().edges["a", "b"]["relevance"] == 0.75


def test_networkx_edges_weigh_one() -> None:
    graph = LinkGraph.of(nx.DiGraph([("a", "b"), ("a", "a")]))
    assert graph.matrix().toarray().tolist() == [[0, 0], [1, 0]]


def test_empty_graph() -> None:
    assert LinkGraph().matrix().shape == (0, 0)
    assert len(LinkGraph().digraph()) == 0
