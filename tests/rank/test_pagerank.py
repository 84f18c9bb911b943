"""Worked example C4 and PageRank on graphs whose answer is known (papers.md 4.8)."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.rank.graph import LinkGraph
from crawler.rank.jacobi import DAMPING, column_shares, step
from crawler.rank.pagerank import pagerank


def test_c4() -> None:
    """T1 has PR 1 and two links, T2 has PR .5 and one; both link to A."""
    graph = LinkGraph.of(nx.DiGraph([("T1", "A"), ("T1", "other"), ("T2", "A")]))
    values = step(column_shares(graph.matrix()), graph.vector({"T1": 1.0, "T2": 0.5}))
    assert values[graph.id("A")] == pytest.approx(1.0)


def test_a_cycle_shares_alike() -> None:
    assert pagerank(nx.cycle_graph(5, create_using=nx.DiGraph)) == pytest.approx(dict.fromkeys(range(5), 1.0))


def test_page_without_links_and_page_without_parents() -> None:
    assert pagerank(nx.DiGraph([("a", "b")])) == pytest.approx({"a": 0.15, "b": 0.15 + 0.85 * 0.15})


def test_links_to_itself_do_not_count() -> None:
    assert pagerank(nx.DiGraph([("a", "a"), ("a", "b")])) == pytest.approx(pagerank(nx.DiGraph([("a", "b")])))


def test_no_pages() -> None:
    assert pagerank(nx.DiGraph()) == {}


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(0, 999))
def test_same_order_as_networkx_where_no_page_is_a_dead_end(pages: int, seed: int) -> None:
    """Without dead ends the non-normalised form is networkx's times the number of pages."""
    graph = nx.gnp_random_graph(pages, 0.3, seed=seed, directed=True)
    graph.add_edges_from((page, (page + 1) % pages) for page in range(pages))
    theirs = nx.pagerank(graph, alpha=DAMPING, tol=1e-12, max_iter=1000)
    assert pagerank(graph) == pytest.approx({page: value * pages for page, value in theirs.items()}, rel=1e-6)


def test_column_shares_with_floor() -> None:
    graph = LinkGraph()
    graph.add("a", [("b", 0.1), ("c", 0.1)])
    graph.add("b", [("c", 2.0)])
    sums = np.asarray(column_shares(graph.matrix(), floor=0.4).sum(axis=0))
    assert sums == pytest.approx([0.5, 1.0, 0.0])


def test_column_shares_of_weights_too_small_for_a_reciprocal() -> None:
    graph = LinkGraph()
    graph.add("a", [("b", 1e-45), ("c", 1e-45)])
    assert np.asarray(column_shares(graph.matrix(), floor=1e-313).sum(axis=0)) == pytest.approx([1.0, 0.0, 0.0])
    assert column_shares(LinkGraph.of(nx.DiGraph([("a", "a")])).matrix(), floor=1e-313).nnz == 0
