from __future__ import annotations

import csv
from pathlib import Path

import networkx as nx
import pytest

from crawler.database.schema import pages
from crawler.errors import ExportError
from zhuti.export.linkgraph import COLUMNS, export_graph, is_graph

A, B, C, D = (f"https://{name}.example/" for name in "abcd")


@pytest.fixture
def harvested(crawl, kept, off_topic):
    crawl.frontier.seed([A, B, C], now=0)
    a, b, c = crawl.claim()
    visits = [kept(a, links={B: 0.5, C: 0.2, D: 0.1}), kept(b, "乙\x0b\x1b", links={A: 0.4}), off_topic(c, {B: 0.3})]
    crawl.store.commit(visits)
    return crawl


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


READERS = {"graph.gexf": nx.read_gexf, "graph.graphml": nx.read_graphml}


@pytest.mark.parametrize("name", READERS)
def test_networkx_reads_it_back(harvested, out: Path, name: str) -> None:
    assert export_graph(harvested.database, "t", out / name) == 4
    graph = READERS[name](out / name)
    assert set(graph.edges) == {(A, B), (A, C), (B, A), (C, B)}
    assert graph.edges[A, B]["relevance"] == 0.5
    assert graph.nodes[C]["outcome"] == "off-topic"
    assert graph.nodes[C]["ipagerank"] == 0.0
    # PR = 0.15 / 3 + 0.85 * ..., a hands one half to b and c each, b all to a, c all to b.
    ranks = {url: graph.nodes[url]["pagerank"] for url in (A, B, C)}
    assert ranks[A] == pytest.approx(0.05 + 0.85 * ranks[B], abs=1e-5)
    assert ranks[B] == pytest.approx(0.05 + 0.85 * (ranks[A] / 2 + ranks[C]), abs=1e-5)
    # h is the sum of a over the links, a that of h: both name b and c, which are the only ones to share a source.
    authorities = {url: graph.nodes[url]["authority"] for url in (A, B, C)}
    assert authorities[B] > authorities[C] > 0.3 and authorities[A] == pytest.approx(0.0, abs=1e-9)
    assert sum(graph.nodes[url]["hub"] for url in (A, B, C)) == pytest.approx(1.0)
    assert graph.nodes[B]["ipagerank"] > graph.nodes[C]["ipagerank"]


@pytest.mark.parametrize("name", [*READERS, "links.csv"])
def test_the_same_graph_gives_the_same_bytes(harvested, out: Path, name: str) -> None:
    (out / "again").mkdir()
    for folder in (out, out / "again"):
        export_graph(harvested.database, "t", folder / name)
    assert (out / name).read_bytes() == (out / "again" / name).read_bytes()
    assert [item.name for item in (out / "again").iterdir()] == [name]


def test_links(harvested, out: Path) -> None:
    assert export_graph(harvested.database, "t", out / "links.csv") == 5
    with (out / "links.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert [(row["source"], row["target"]) for row in rows] == [(A, B), (A, C), (A, D), (B, A), (C, B)]
    assert rows[0]["anchor"] == "锚0"
    assert rows[2]["target_rank"] == ""
    assert float(rows[0]["target_rank"]) == float(rows[3]["source_rank"])


@pytest.mark.parametrize("name", READERS)
def test_a_title_that_xml_cannot_hold(harvested, out: Path, name: str) -> None:
    with harvested.database.transaction() as connection:
        connection.execute(pages.update().values(title="\x0b<乙>\x1b&\uffff"))
    export_graph(harvested.database, "t", out / name)
    assert READERS[name](out / name).nodes[B]["label"] == "<乙>&"


@pytest.mark.parametrize("name", ["graph.gexf", "graph.graphml", "links.csv"])
def test_a_file_that_is_not_ours_stays(harvested, out: Path, name: str) -> None:
    (out / name).write_text("mine")
    with pytest.raises(ExportError, match="add --overwrite"):
        export_graph(harvested.database, "t", out / name)
    assert (out / name).read_text() == "mine"
    export_graph(harvested.database, "t", out / name, overwrite=True)
    assert export_graph(harvested.database, "t", out / name), "an export may be made again"


def test_a_topic_without_pages(crawl, out: Path) -> None:
    for name in (*READERS, "links.csv"):
        assert export_graph(crawl.database, "t", out / name) == 0
    assert len(nx.read_gexf(out / "graph.gexf")) == 0


@pytest.mark.parametrize(("name", "graph"), [("a.gexf", True), ("links.csv", True), ("a.csv", False), ("gexf", False)])
def test_is_graph(name: str, graph: bool) -> None:
    assert is_graph(Path(name)) is graph


@pytest.mark.parametrize(
    ("topic", "name", "words"), [("t", "a.csv", "links.csv"), ("none", "a.gexf", "this database has t")]
)
def test_mistakes(harvested, out: Path, topic: str, name: str, words: str) -> None:
    with pytest.raises(ExportError, match=words):
        export_graph(harvested.database, topic, out / name)
    assert not list(out.iterdir())
