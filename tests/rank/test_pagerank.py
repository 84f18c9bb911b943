"""Worked example C4 and PageRank on graphs whose answer is known (papers.md 4.8)."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.rank.graph import REST, Matrix, add_links
from crawler.rank.pagerank import DAMPING, handed_on, pagerank, shares, step


def sums(handed: Matrix) -> list[float]:
    """What each page hands on, in all."""
    return handed.sum(axis=0).tolist()


def test_c4() -> None:
    """T1 has PR 1 and two links, T2 has PR .5 and one; both link to A."""
    graph = nx.DiGraph([("T1", "A"), ("T1", "other"), ("T2", "A")])
    values = step(shares(graph), np.array([{"T1": 1.0, "T2": 0.5}.get(page, 0.0) for page in graph]))
    assert values[list(graph).index("A")] == pytest.approx(1.0)


def test_a_cycle_shares_alike() -> None:
    assert pagerank(nx.cycle_graph(5, create_using=nx.DiGraph)) == pytest.approx([1.0] * 5)


def test_page_without_links_and_page_without_parents() -> None:
    assert pagerank(nx.DiGraph([("a", "b")])) == pytest.approx([0.15, 0.15 + 0.85 * 0.15])


def test_links_to_itself_do_not_count() -> None:
    assert pagerank(nx.DiGraph([("a", "a"), ("a", "b")])) == pytest.approx(pagerank(nx.DiGraph([("a", "b")])))


def test_no_pages() -> None:
    assert pagerank(nx.DiGraph()).tolist() == []


@given(st.integers(2, 12), st.integers(0, 999))
def test_same_order_as_networkx_where_no_page_is_a_dead_end(pages: int, seed: int) -> None:
    """Without dead ends the non-normalised form is networkx's times the number of pages."""
    graph = nx.gnp_random_graph(pages, 0.3, seed=seed, directed=True)
    graph.add_edges_from((page, (page + 1) % pages) for page in range(pages))
    theirs = nx.pagerank(graph, alpha=DAMPING, tol=1e-12, max_iter=1000)
    assert pagerank(graph) == pytest.approx([theirs[page] * pages for page in graph], rel=1e-6)


def test_shares_with_floor() -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 0.1), ("a", "c", 0.1), ("b", "c", 2.0)])
    assert sums(shares(graph, floor=0.4)) == pytest.approx([0.5, 1.0, 0.0])


def test_shares_of_weights_too_small_for_a_reciprocal() -> None:
    graph = nx.DiGraph([("a", "b", {"weight": 1e-45}), ("a", "c", {"weight": 1e-45})])
    assert sums(shares(graph, floor=1e-313)) == pytest.approx([1.0, 0.0, 0.0])
    assert shares(nx.DiGraph([("a", "a")]), floor=1e-313).nnz == 0


@given(st.lists(st.floats(0, 1, width=32), max_size=6), st.floats(0, 9), st.floats(0, 1), st.floats(0, 2))
def test_a_page_hands_on_what_the_step_hands_on_for_it(
    weights: list[float], value: float, floor: float, rest: float
) -> None:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_node("page", **{REST: rest})
    links = add_links(graph, "page", [(str(place), weight) for place, weight in enumerate(weights)])
    values = np.array([value, *[0.0] * len(links)])
    handed = [part for _, part in handed_on(value, links, floor, rest)]
    assert handed == pytest.approx((DAMPING * (shares(graph, floor) @ values))[1:].tolist())
