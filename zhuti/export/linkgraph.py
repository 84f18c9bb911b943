"""The link graph of a topic with its ranks: GEXF and GraphML for graph programs, CSV for everything else.

Nodes are the judged pages, whatever the judgement. `pagerank`, `hub` and `authority` count all links between them, by
networkx; `ipagerank` (papers.md 4.8) those of the kept pages, as LINK_SCORER=ipagerank weighs them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import networkx as nx
from networkx.readwrite.gexf import GEXFWriter
from sqlalchemy import Connection, select

from crawler.database.database import Database
from crawler.database.schema import SIMILARITY, judgements, links, pages
from crawler.errors import ExportError
from crawler.messages import _
from crawler.rank.graph import REST, add_links
from crawler.rank.ipagerank import ipagerank
from crawler.rank.relevance import rw
from crawler.reader.text.printable import harmless
from crawler.records import Outcome, Outlink
from crawler.scorers.papers.ipagerank import DENOM_FLOOR
from crawler.scorers.papers.rw import LINK_THRESHOLD
from crawler.store.compression import reader
from crawler.store.names import topic_id_of
from zhuti.whole_file import refuse_foreign, whole_file

READ_BATCH = 200  # pages in memory
HEAD = 4096  # bytes
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
SHOWN = ("outcome", "similarity", "pagerank", "hub", "authority", "ipagerank")  # of a node, beside its label
COLUMNS = ("source", "target", "anchor", "rel", "tag_path", "relevance", "noise", "source_rank", "target_rank")


@dataclass(frozen=True, slots=True)
class GraphPage:
    """A judged page."""

    url: str
    title: str
    outcome: str  # records.Outcome
    similarity: float
    fetched_at: float  # seconds since the epoch
    pagerank: float = 0.0  # those of all pages sum to 1
    hub: float = 0.0  # the same
    authority: float = 0.0  # the same
    ipagerank: float = 0.0  # 0.0 unless kept


Nodes = dict[str, GraphPage]  # by URL, in the order in which the URLs were found
Writer = Callable[[Connection, int, Nodes, Path], int]


def export_graph(database: Database, topic: str, path: Path, *, overwrite: bool = False) -> int:
    """Writes the graph, by the ending of the name, and returns the number of links in it. The file is whole or absent;
    nodes and links come in the order in which the pages' URLs were found. `overwrite`: also a foreign file.

    Raises ExportError: unknown ending or topic, unwritable place, a foreign file. StoreError: the database fails.
    """
    writer = WRITERS.get(path.suffix) if is_graph(path) else None
    if writer is None:
        raise ExportError(
            _("{path} is not a name for a link graph; use graph.gexf, graph.graphml or links.csv"), path=path
        )
    refuse_foreign(path, overwrite or _is_ours(path))
    with database.transaction() as connection:
        topic_id = topic_id_of(connection, topic, ExportError)
        nodes = ranked_pages(connection, topic_id)
        with whole_file(path) as partial:
            return writer(connection, topic_id, nodes, partial)


def is_graph(path: Path) -> bool:
    """Whether the file is to hold a graph: links.csv is one by its name, any other .csv is a corpus."""
    return path.suffix in (".gexf", ".graphml") or path.name == "links.csv"


def _is_ours(path: Path) -> bool:
    """Whether the file begins with the names of the ranks, as ours of both kinds do."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(HEAD)
    return b'"ipagerank"' in head or head.startswith(",".join(COLUMNS).encode())


def _nodes(connection: Connection, topic_id: int) -> Nodes:
    query = (
        select(pages.c.url, pages.c.title, judgements.c.outcome, SIMILARITY, pages.c.fetched_at)
        .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .where(judgements.c.topic_id == topic_id)
        .order_by(judgements.c.url_id)
    )
    rows = connection.execute(query.execution_options(yield_per=READ_BATCH))
    return {row.url: GraphPage(*row) for row in rows}


def outlinks_of(connection: Connection, topic_id: int) -> Iterator[tuple[str, tuple[Outlink, ...]]]:
    """The outlinks of each judged page, by its address."""
    query = (
        select(pages.c.url, links.c.packed)
        .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .join(links, links.c.url_id == judgements.c.url_id)
        .where(judgements.c.topic_id == topic_id)
        .order_by(judgements.c.url_id)
    )
    codec = reader(connection)
    for url, packed in connection.execute(query.execution_options(yield_per=READ_BATCH)):
        yield url, codec.unpack_links(packed)


def ranked_pages(connection: Connection, topic_id: int) -> Nodes:
    """The topic's judged pages with their ranks."""
    nodes = _nodes(connection, topic_id)
    graph: nx.DiGraph[str] = nx.DiGraph()
    relevant: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    relevant.add_nodes_from(nodes)
    for url, outlinks in outlinks_of(connection, topic_id):
        add_links(graph, url, [(outlink.link.url, 1.0) for outlink in outlinks if outlink.link.url in nodes])
        weighed = [(each.link.url, rw(each.own_relevance, LINK_THRESHOLD)) for each in outlinks if not each.link.noise]
        add_links(relevant, url, [(target, weight) for target, weight in weighed if target in nodes and weight])
        relevant.nodes[url][REST] = sum(weight for target, weight in weighed if target not in nodes)
    kept = {node.url: node.similarity for node in nodes.values() if node.outcome == Outcome.KEPT}
    wanted = dict(zip(nodes, ipagerank(relevant, kept, floor=DENOM_FLOOR).tolist(), strict=True))
    shares = nx.pagerank(graph)
    # From the same start the same digits; without a link there is nothing that an eigenvector could tell.
    hubs, authorities = nx.hits(graph, nstart=dict.fromkeys(nodes, 1.0)) if nx.number_of_edges(graph) else ({}, {})
    return {
        url: replace(
            node,
            pagerank=shares[url],
            hub=hubs.get(url, 0.0),
            authority=authorities.get(url, 0.0),
            ipagerank=wanted[url] if url in kept else 0.0,
        )
        for url, node in nodes.items()
    }


def _digraph(connection: Connection, topic_id: int, nodes: Nodes) -> nx.DiGraph[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for node in nodes.values():
        values = {name: getattr(node, name) for name in SHOWN}
        graph.add_node(node.url, label=_xml(node.title) or node.url, **values)
    for url, outlinks in outlinks_of(connection, topic_id):
        for outlink in outlinks:
            link = outlink.link
            if link.url in nodes:
                graph.add_edge(url, link.url, anchor=_xml(link.anchor), relevance=outlink.relevance, noise=link.noise)
    return graph


def _xml(text: str) -> str:
    return NOT_XML.sub("", text)


def _write_gexf(connection: Connection, topic_id: int, nodes: Nodes, path: Path) -> int:
    graph = _digraph(connection, topic_id, nodes)
    writer = GEXFWriter(version="1.2draft", prettyprint=True)
    writer.add_graph(graph)
    # networkx writes today's date, so the same graph would give another file tomorrow.
    newest = max((node.fetched_at for node in nodes.values()), default=0.0)
    for meta in writer.xml.iter("meta"):
        meta.set("lastmodifieddate", datetime.fromtimestamp(newest, UTC).date().isoformat())
    with path.open("wb") as file:
        writer.write(file)
    return graph.number_of_edges()


def _write_graphml(connection: Connection, topic_id: int, nodes: Nodes, path: Path) -> int:
    graph = _digraph(connection, topic_id, nodes)
    with path.open("wb") as file:
        nx.write_graphml(graph, file)
    return graph.number_of_edges()


def _write_links(connection: Connection, topic_id: int, nodes: Nodes, path: Path) -> int:
    """Every outlink, also to addresses that were never fetched: they have no rank."""
    count = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for url, outlinks in outlinks_of(connection, topic_id):
            for outlink in outlinks:
                link, target = outlink.link, nodes.get(outlink.link.url)
                about = (link.anchor, link.rel, link.tag_path, outlink.relevance, int(link.noise))
                values = (url, link.url, *about, nodes[url].pagerank, target.pagerank if target else "")
                rows.writerow(harmless(dict(enumerate(values))).values())
                count += 1
    return count


WRITERS: dict[str, Writer] = {".gexf": _write_gexf, ".graphml": _write_graphml, ".csv": _write_links}
