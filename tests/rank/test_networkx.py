"""Every algorithm of networkx runs on a LinkGraph, and finds what it finds on networkx' own graph."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest

from crawler.rank.graph import LinkGraph

Graph = Any  # nx.DiGraph, on a LinkGraph or not

NUMBERS = {  # node -> number, or one number
    "pagerank": nx.pagerank,
    "hits": lambda graph: nx.hits(graph)[1],
    "betweenness": nx.betweenness_centrality,
    "betweenness by weight": lambda graph: nx.betweenness_centrality(graph, weight="weight"),
    "edge betweenness": nx.edge_betweenness_centrality,
    "closeness": nx.closeness_centrality,
    "harmonic": nx.harmonic_centrality,
    "degree": nx.in_degree_centrality,
    "eigenvector": lambda graph: nx.eigenvector_centrality_numpy(graph.subgraph(next(components(graph)))),
    "katz": lambda graph: nx.katz_centrality(graph, alpha=0.05),
    "load": nx.load_centrality,
    "clustering": nx.clustering,
    "clustering by weight": lambda graph: nx.clustering(graph, weight="weight"),
    "transitivity": nx.transitivity,
    "triangles": lambda graph: nx.triangles(graph.to_undirected()),
    "core number": nx.core_number,
    "core number, undirected": lambda graph: nx.core_number(graph.to_undirected(as_view=True)),
    "reciprocity": nx.reciprocity,
    "density": nx.density,
    "shortest paths": lambda graph: dict(nx.single_source_dijkstra_path_length(graph, "a")),
    "lengths": lambda graph: nx.single_source_shortest_path_length(graph, "a"),
    "flow": lambda graph: nx.maximum_flow_value(graph, "a", "e", capacity="weight"),
    "assortativity": nx.degree_assortativity_coefficient,
    "neighbours' degree": nx.average_neighbor_degree,
    "levels": lambda graph: nx.trophic_levels(graph.edge_subgraph([("a", "b"), ("b", "c"), ("a", "c")])),
    "generations": lambda graph: len(list(nx.topological_generations(nx.condensation(graph)))),
    "efficiency": lambda graph: nx.global_efficiency(graph.to_undirected()),
}
PAGES = {  # pages and links, in order where networkx gives none
    "strong components": lambda graph: set(map(frozenset, nx.strongly_connected_components(graph))),
    "weak components": lambda graph: set(map(frozenset, nx.weakly_connected_components(graph))),
    "condensation": lambda graph: sorted(nx.condensation(graph).edges),
    "shortest path": lambda graph: nx.shortest_path(graph, "a", "e"),
    "dijkstra": lambda graph: nx.dijkstra_path(graph, "a", "e"),
    "all shortest paths": lambda graph: sorted(nx.all_shortest_paths(graph, "a", "e")),
    "simple cycles": lambda graph: sorted(map(sorted, nx.simple_cycles(graph))),
    "breadth first": lambda graph: list(nx.bfs_edges(graph, "a")),
    "depth first": lambda graph: list(nx.dfs_preorder_nodes(graph, "a")),
    "descendants": lambda graph: nx.descendants(graph, "d"),
    "ancestors": lambda graph: nx.ancestors(graph, "e"),
    "topological sort": lambda graph: list(nx.topological_sort(graph.edge_subgraph([("a", "b"), ("b", "c")]))),
    "acyclic": nx.is_directed_acyclic_graph,
    "transitive closure": lambda graph: sorted(nx.transitive_closure(graph).edges),
    "line graph": lambda graph: sorted(nx.line_graph(graph).edges),
    "dominators": lambda graph: nx.immediate_dominators(graph, "a"),
    "communities": lambda graph: sorted(map(sorted, nx.community.louvain_communities(graph, seed=1))),
    "label propagation": lambda graph: sorted(map(sorted, nx.community.asyn_lpa_communities(graph, seed=1))),
    "modularity": lambda graph: sorted(map(sorted, nx.community.greedy_modularity_communities(graph))),
    "spanning tree": lambda graph: sorted(nx.minimum_spanning_tree(graph.to_undirected()).edges),
    "arborescence": lambda graph: sorted(nx.maximum_branching(graph).edges),
    "bridges": lambda graph: sorted(nx.bridges(graph.to_undirected())),
    "cliques": lambda graph: sorted(map(sorted, nx.find_cliques(graph.to_undirected()))),
    "colours": lambda graph: nx.greedy_color(graph.to_undirected()),
    "node link data": nx.node_link_data,
    "adjacency": lambda graph: nx.to_numpy_array(graph).tolist(),
    "triads": nx.triadic_census,
}
GRAPHS: dict[str, Callable[[Graph], Graph]] = {  # which give a graph
    "reverse": lambda graph: graph.reverse(),
    "reverse view": lambda graph: graph.reverse(copy=False),
    "subgraph": lambda graph: graph.subgraph("abc"),
    "edge subgraph": lambda graph: graph.edge_subgraph([("a", "b")]),
    "copy": lambda graph: graph.copy(),
    "copy of a subgraph": lambda graph: graph.subgraph("abc").copy(),
    "undirected": lambda graph: graph.to_undirected(),
    "undirected, both ways": lambda graph: graph.to_undirected(reciprocal=True),
    "undirected view": lambda graph: graph.to_undirected(as_view=True),
    "directed": lambda graph: graph.to_directed(),
    "complement": nx.complement,
    "ego": lambda graph: nx.ego_graph(graph, "a"),
    "core": lambda graph: nx.k_core(graph, 2),
    "relabelled": lambda graph: nx.relabel_nodes(graph, str.upper),
    "with numbers": nx.convert_node_labels_to_integers,
    "composed": lambda graph: nx.compose(graph, nx.DiGraph([("a", "z")])),
    "contraction": lambda graph: nx.contracted_nodes(graph, "a", "b"),
}


def components(graph: Graph) -> Any:
    return iter(sorted(map(sorted, nx.strongly_connected_components(graph)), key=len, reverse=True))


@pytest.fixture(scope="module")
def ours() -> "nx.DiGraph[str]":
    graph = LinkGraph()
    graph.add("a", [("b", 0.5), ("c", 0.25)])
    graph.add("b", [("c", 1.0), ("d", 0.5), ("b", 1.0)])
    graph.add("c", [("a", 0.125), ("a", 0.25), ("d", 0.75)])
    graph.add("d", [("e", 0.375), ("f", 0.0)])
    graph.add("f", [("d", 0.875)])
    graph.id("g")
    return graph.to_networkx()


@pytest.fixture(scope="module")
def theirs() -> "nx.DiGraph[str]":
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from("abcdefg")
    graph.add_weighted_edges_from(
        [("a", "b", 0.5), ("a", "c", 0.25), ("b", "c", 1.0), ("b", "d", 0.5), ("c", "a", 0.375), ("c", "d", 0.75)]
    )
    graph.add_weighted_edges_from([("d", "e", 0.375), ("d", "f", 0.0), ("f", "d", 0.875)])
    return graph


@pytest.mark.parametrize("name", NUMBERS)
def test_the_same_numbers(name: str, ours: "nx.DiGraph[str]", theirs: "nx.DiGraph[str]") -> None:
    assert NUMBERS[name](ours) == pytest.approx(NUMBERS[name](theirs))


@pytest.mark.parametrize("name", PAGES)
def test_the_same_pages_and_links(name: str, ours: "nx.DiGraph[str]", theirs: "nx.DiGraph[str]") -> None:
    assert PAGES[name](ours) == PAGES[name](theirs)


@pytest.mark.parametrize("name", GRAPHS)
def test_the_same_graphs(name: str, ours: "nx.DiGraph[str]", theirs: "nx.DiGraph[str]") -> None:
    made = GRAPHS[name](ours)
    assert nx.utils.graphs_equal(made, GRAPHS[name](theirs))
    assert made is not ours and len(ours) == 7 and ours.number_of_edges() == 9
