"""A picture of the topic's hosts: IPageRank as size, yield as colour, drawn on the server."""

from __future__ import annotations

import math
from dataclasses import dataclass

import networkx as nx
from sqlalchemy import Connection

from crawler.rank.ipagerank import ipagerank
from zhuti.board.facts import HostState, hosts_of, links_between_hosts

HOSTS = 200
NAMED = 25  # hosts, those with the highest rank
LINES = 600
ROUNDS = 200  # of the layout
SEED = 1
WIDTH, HEIGHT, EDGE = 1000, 640, 70  # of the picture
SMALLEST, LARGEST = 7.0, 28.0  # radius of a host


@dataclass(frozen=True, slots=True)
class Dot:
    host: HostState
    x: float
    y: float
    radius: float
    share: float  # kept of judged pages, in [0, 1]
    is_named: bool


@dataclass(frozen=True, slots=True)
class Picture:
    dots: tuple[Dot, ...]
    lines: tuple[tuple[float, float, float, float], ...]  # x and y of either end
    width: int = WIDTH
    height: int = HEIGHT


def hosts_map(connection: Connection, topic_id: int) -> Picture:
    """A map of the HOSTS hosts with most judged pages; lines are links by which URLs were first found."""
    states = {state.name: state for state in hosts_of(connection, topic_id, 0, HOSTS) if state.judged}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(states)
    links = [link for link in links_between_hosts(connection, topic_id) if link[0] in states and link[1] in states]
    graph.add_weighted_edges_from(links[:LINES])
    if not states:
        return Picture((), ())
    shares = {name: state.kept / state.judged if state.judged else 0.0 for name, state in states.items()}
    ranks = dict(zip(graph, ipagerank(graph, {name: share for name, share in shares.items() if share}), strict=True))
    places = nx.arf_layout(graph, max_iter=ROUNDS, seed=SEED)  # keeps apart what a spring layout heaps up
    at = {name: (_on(x, WIDTH), _on(y, HEIGHT)) for name, (x, y) in nx.rescale_layout_dict(places).items()}
    least, most = min(ranks.values()), max(ranks.values())

    def radius(rank: float) -> float:
        """The area grows with the rank."""
        share = (rank - least) / (most - least) if most > least else 0.5
        return math.sqrt(SMALLEST**2 + (LARGEST**2 - SMALLEST**2) * share)

    named = set(sorted(ranks, key=lambda name: -ranks[name])[:NAMED])
    dots = tuple(
        Dot(state, *at[name], radius(ranks[name]), shares[name], name in named)
        for name, state in sorted(states.items(), key=lambda pair: -ranks[pair[0]])
    )
    return Picture(dots, tuple((*at[one], *at[other]) for one, other in graph.edges if one != other))


def _on(place: float, size: int) -> float:
    """Maps a place in [-1, 1] onto the picture."""
    return round(EDGE + (place + 1) / 2 * (size - 2 * EDGE), 1)
