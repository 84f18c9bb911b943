"""The link graph's numbers, and what networkx makes of it."""

from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.rank.graph import LinkGraph, Links, matrix
from crawler.rank.hits import hits
from crawler.rank.pagerank import pagerank

PAGES = [f"p{n}" for n in range(8)]
LINKS = st.lists(st.tuples(st.sampled_from(PAGES), st.sampled_from(PAGES), st.floats(0.125, 1, width=16)), max_size=30)


def both(links: list[tuple[str, str, float]]) -> tuple[LinkGraph, "nx.DiGraph[str]"]:
    """The same links as a LinkGraph, and as a graph that networkx made."""
    ours, theirs = LinkGraph(), nx.DiGraph()
    sums: defaultdict[tuple[str, str], float] = defaultdict(float)
    for source, target, weight in links:
        ours.add(source, [(target, weight)])
        theirs.add_nodes_from((source, target))
        if source != target:
            sums[source, target] += weight
    theirs.add_weighted_edges_from((*pair, weight) for pair, weight in sums.items())
    return ours, theirs


def dense(links: Links) -> list[list[float]]:
    """By target, by source."""
    table: list[list[float]] = matrix(links).toarray().tolist()
    return table


def some() -> LinkGraph:
    graph = LinkGraph()
    graph.add("a", [("b", 0.5), ("c", 0.25)])
    graph.add("b", [("c", 1.0)])
    graph.add("c", [("a", 1.0)])
    return graph


def test_numbers_follow_first_sight() -> None:
    graph = LinkGraph()
    assert graph.add("a", [("b", 1.0), ("a", 1.0), ("c", 0.5)]) == [(1, 1.0), (2, 0.5)]
    assert (len(graph), graph.to_networkx().number_of_edges()) == (3, 2)
    assert [graph.url(n) for n in range(3)] == list(graph) == ["a", "b", "c"]
    assert "c" in graph and "d" not in graph


def test_double_links_add_up() -> None:
    graph = LinkGraph()
    graph.add("a", [("b", 0.25), ("b", 0.5)])
    assert dense(graph) == [[0, 0], [0.75, 0]]
    assert graph.to_networkx().edges["a", "b"]["weight"] == 0.75


def test_networkx_edges_weigh_one() -> None:
    assert dense(nx.DiGraph([("a", "b"), ("a", "a")])) == [[0, 0], [1, 0]]


def test_empty_graph() -> None:
    assert matrix(LinkGraph()).shape == matrix(nx.DiGraph()).shape == (0, 0)
    assert not len(LinkGraph().to_networkx().copy())


@given(LINKS)
def test_networkx_reads_it(links: list[tuple[str, str, float]]) -> None:
    graph, theirs = both(links)
    ours = graph.to_networkx()
    assert type(ours) is nx.DiGraph
    assert nx.utils.graphs_equal(ours, theirs)
    assert {page: set(ours.pred[page]) for page in ours} == {page: set(theirs.pred[page]) for page in theirs}
    assert dict(ours.in_degree(weight="weight")) == pytest.approx(dict(theirs.in_degree(weight="weight")))
    assert list(map(sorted, nx.weakly_connected_components(ours))) == list(
        map(sorted, nx.weakly_connected_components(theirs))
    )
    assert set(map(frozenset, nx.strongly_connected_components(ours))) == set(
        map(frozenset, nx.strongly_connected_components(theirs))
    )
    assert dict(nx.all_pairs_shortest_path_length(ours)) == dict(nx.all_pairs_shortest_path_length(theirs))


@given(LINKS.filter(bool), st.floats(0.1, 0.9), st.dictionaries(st.sampled_from(PAGES), st.floats(0.1, 1), min_size=1))
def test_networkx_ranks_it(links: list[tuple[str, str, float]], alpha: float, liked: dict[str, float]) -> None:
    """By networkx' own rules, which are not those of `rank.pagerank`: values sum to 1, dead ends hand on to all."""
    graph, theirs = both([*links, *((page, page, 1.0) for page in liked)])
    ours = graph.to_networkx()
    for options in ({}, {"alpha": alpha}, {"personalization": liked}, {"alpha": alpha, "weight": None}):
        values = nx.pagerank(ours, max_iter=1000, **options)
        assert sum(values.values()) == pytest.approx(1.0)
        assert values == pytest.approx(nx.pagerank(theirs, max_iter=1000, **options))


def test_hits_of_networkx() -> None:
    graph = some()
    for ours, theirs in zip(hits(graph, rounds=500), nx.hits(graph.to_networkx()), strict=True):
        assert ours / ours.sum() == pytest.approx(list(theirs.values()), abs=1e-6)


def test_views_and_copies_are_ranked_as_what_they_show() -> None:
    graph = some().to_networkx()
    backward = nx.DiGraph()
    backward.add_nodes_from(graph)
    backward.add_weighted_edges_from((target, source, weight) for source, target, weight in graph.edges(data="weight"))
    for turned in (graph.reverse(), graph.reverse(copy=False), nx.reverse_view(graph)):
        assert pagerank(turned) == pytest.approx(pagerank(backward))
    part = nx.DiGraph([("a", "b")])
    assert pagerank(graph.subgraph("ab")) == pytest.approx(pagerank(part))
    assert pagerank(graph.copy()).tolist() == pagerank(graph.copy(as_view=True)).tolist() == pagerank(graph).tolist()


def test_it_grows_under_the_eyes_of_networkx() -> None:
    graph = some()
    view = graph.to_networkx()
    edges = view.edges
    assert len(edges) == 4
    graph.add("d", [("a", 0.5)])
    graph.id("e")
    assert len(edges) == 5 and list(view.pred["a"]) == ["c", "d"] and not view.succ["e"]
    graph.keep(np.array([url != "b" for url in graph]))
    assert sorted(edges) == [("a", "c"), ("c", "a"), ("d", "a")] and list(view) == ["a", "c", "d", "e"]


def test_networkx_changes_a_copy_only() -> None:
    graph = some().to_networkx()
    with pytest.raises(nx.NetworkXError, match="Frozen"):
        graph.add_edge("a", "d")
    with pytest.raises(TypeError):
        graph.edges["a", "b"]["weight"] = 2.0
    with pytest.raises(TypeError):
        graph.nodes["a"]["title"] = "A"
    copy = graph.copy()
    copy.add_edge("a", "d")
    assert "d" not in graph and copy.edges["a", "b"] == {"weight": 0.5}
