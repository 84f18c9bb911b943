"""Worked examples C7 and C9, and the laws of IPageRank (papers.md 4.8, 4.9)."""

from typing import TypeAlias

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.rank.graph import add_links
from crawler.rank.ipagerank import ITERATIONS, ipagerank
from crawler.rank.pagerank import DAMPING, LEAST_VALUE, shares, step

Graph: TypeAlias = "nx.DiGraph[str]"


def web(*links: tuple[str, str, float]) -> Graph:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_weighted_edges_from(links)
    return graph


def predict(graph: Graph, values: dict[str, float], floor: float = 0.0) -> dict[str, float]:
    """One step from these values of the closed set."""
    return dict(zip(graph, ipagerank(graph, values, iterations=0, floor=floor).tolist(), strict=True))


C7 = web(("T1", "A", 0.6), ("T1", "x", 0.2), ("T1", "y", 0), ("T1", "z", 0.2), ("T2", "A", 0.4), ("T2", "x", 0.4))
C9 = web(("P", "Q", 0.6), ("P", "R", 0.2), ("Q", "P", 0.5), ("Q", "R", 0.0), ("R", "P", 0.3))
C9_START = {"P": 0.9, "Q": 0.4, "R": 0.1}


def test_c7() -> None:
    assert predict(C7, {"T1": 0.8, "T2": 0.5})["A"] == pytest.approx(0.7705)


def test_floor_takes_the_whole_importance_from_a_single_weak_link() -> None:
    weak = web(("T", "A", 0.03))
    assert predict(weak, {"T": 1.0})["A"] == pytest.approx(1.0)
    assert predict(weak, {"T": 1.0}, floor=0.3)["A"] == pytest.approx(0.15 + 0.85 * 0.1)


@pytest.mark.parametrize(
    ("iterations", "expected"),
    [
        (1, {"P": 0.575, "Q": 0.72375, "R": 0.34125}),
        (2, {"P": 1.05525, "Q": 0.516562, "R": 0.272187}),
        (5, {"P": 0.997766, "Q": 0.894229, "R": 0.398076}),
    ],
)
def test_c9(iterations: int, expected: dict[str, float]) -> None:
    values = ipagerank(C9, C9_START, iterations=iterations)
    assert dict(zip(C9, values.tolist(), strict=True)) == pytest.approx(expected, abs=1e-6)


def test_parent_without_a_relevant_link_hands_nothing_on() -> None:
    assert predict(web(("T", "A", 0.0)), {"T": 1.0})["A"] == pytest.approx(LEAST_VALUE)


def test_links_out_of_the_set_count_in_the_denominator() -> None:
    closed = {"a": 1.0, "b": 1.0}
    inside = ipagerank(web(("a", "b", 0.5)), closed, iterations=1)
    assert inside == pytest.approx([0.15, 1.0])
    leaking = ipagerank(web(("a", "b", 0.5), ("a", "away", 0.5)), closed, iterations=1)
    assert leaking[:2] == pytest.approx([0.15, 0.15 + 0.85 * 0.5])


def test_links_to_itself_are_ignored() -> None:
    assert predict(web(("a", "a", 0.9), ("a", "b", 0.1)), {"a": 1.0})["b"] == pytest.approx(1.0)


def test_empty_set() -> None:
    assert ipagerank(C9, {}) == pytest.approx([LEAST_VALUE] * 3), "nobody hands anything on"


@st.composite
def webs(draw: st.DrawFn) -> Graph:
    graph: nx.DiGraph[str] = nx.DiGraph()
    pages = draw(st.integers(1, 8))
    for page in range(pages):
        graph.add_node(str(page))
        targets = draw(st.lists(st.tuples(st.integers(0, pages - 1), st.floats(0, 1, width=32)), max_size=6))
        add_links(graph, str(page), [(str(target), weight) for target, weight in targets])
    return graph


@given(webs(), st.floats(0, 1), st.integers(1, 8), st.data())
def test_every_page_keeps_its_least_value(graph: Graph, floor: float, steps: int, data: st.DataObject) -> None:
    initial = data.draw(st.dictionaries(st.sampled_from(list(graph)), st.floats(0, 1)))
    assert ipagerank(graph, initial, iterations=steps, floor=floor).min() >= LEAST_VALUE - 1e-12


@given(webs(), st.data())
def test_pages_outside_the_set_hand_nothing_on(graph: Graph, data: st.DataObject) -> None:
    """Theirs is the predicted value: one more step from the set's."""
    initial = data.draw(st.dictionaries(st.sampled_from(list(graph)), st.floats(0, 1)))
    values = ipagerank(graph, initial)
    inside = np.array([url in initial for url in graph])
    after = step(shares(graph), np.where(inside, values, 0.0))
    assert values[~inside].tolist() == after[~inside].tolist()
    again = ipagerank(graph, initial, iterations=ITERATIONS + 1)
    assert again[inside].tolist() == after[inside].tolist()


@given(webs(), st.floats(0, 1), st.data())
def test_two_starts_come_nearer_by_the_damping_factor(graph: Graph, floor: float, data: st.DataObject) -> None:
    n = len(graph)
    vectors = st.lists(st.floats(0, 100), min_size=n, max_size=n).map(np.array)
    one, other = data.draw(vectors), data.draw(vectors)
    handed = shares(graph, floor)
    assert handed.sum(axis=0).max() <= 1 + 1e-9
    after = np.abs(step(handed, one) - step(handed, other)).sum()
    assert after <= DAMPING * np.abs(one - other).sum() + 1e-9
