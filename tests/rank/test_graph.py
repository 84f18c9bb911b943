"""Links in a graph of networkx, and its matrix."""

import networkx as nx
import pytest

from crawler.rank.graph import REST, Links, add_links, matrix
from crawler.rank.hits import hits
from crawler.rank.pagerank import shares


def dense(links: Links) -> list[list[float]]:
    """By target, by source."""
    table: list[list[float]] = matrix(links).toarray().tolist()
    return table


def test_double_links_add_up_and_links_to_itself_are_left_out() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    links = [("b", 0.25), ("a", 1.0), ("b", 0.5)]
    assert add_links(graph, "a", links) == [("b", 0.25), ("b", 0.5)]
    assert dense(graph) == [[0, 0], [0.75, 0]]
    assert graph.edges["a", "b"]["weight"] == 0.75


def test_edges_without_a_weight_weigh_one() -> None:
    assert dense(nx.DiGraph([("a", "b"), ("a", "a")])) == [[0, 0], [1, 0]]


def test_empty_graph() -> None:
    assert matrix(nx.DiGraph()).shape == (0, 0)


def test_links_that_are_no_edges_count_where_a_page_divides() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    add_links(graph, "a", [("b", 0.5)])
    graph.nodes["a"][REST] = 0.75
    assert shares(graph).toarray().tolist() == [[0, 0], [0.4, 0]]


def test_hits_of_networkx() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 0.5), ("a", "c", 0.25), ("b", "c", 1.0), ("c", "a", 1.0)])
    for ours, theirs in zip(hits(graph, rounds=500), nx.hits(graph), strict=True):
        assert ours / ours.sum() == pytest.approx(list(theirs.values()), abs=1e-6)
