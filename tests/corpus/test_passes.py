"""IPageRank by passes over a file is that of the graph in memory."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.rank.graph import add_links
from crawler.rank.ipagerank import ipagerank
from zhuti.corpus import passes
from zhuti.corpus.passes import LinkFile

LINKS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([0.0, 0.25, 0.5, 1.0])), max_size=40)


def on_disk(path: Path, pages: int, links: np.ndarray, initial: np.ndarray, **options: float) -> np.ndarray:
    """`links`: rows of source, target, weight."""
    file = LinkFile(path, pages)
    for part in np.array_split(links, 3):
        file.append(part[:, 0].astype(np.int64), part[:, 1].astype(np.int64), part[:, 2])
    return file.ipagerank(initial.copy(), **options)


def in_memory(pages: int, links: np.ndarray, initial: np.ndarray, **options: float) -> np.ndarray:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(pages))
    for source, target, weight in links:
        add_links(graph, int(source), [(int(target), weight)])
    closed = {page: value for page, value in enumerate(initial) if not np.isnan(value)}
    return ipagerank(graph, closed, **options)


@given(LINKS, st.lists(st.none() | st.floats(0, 1), min_size=10, max_size=10), st.sampled_from([0.0, 0.3]))
def test_small_graphs(links: list[tuple[int, int, float]], closed: list[float | None], floor: float) -> None:
    rows = np.array(links, dtype=float).reshape(-1, 3)
    initial = np.array([np.nan if value is None else value for value in closed])
    with TemporaryDirectory() as folder:
        found = on_disk(Path(folder) / "links", 10, rows, initial, floor=floor)
    np.testing.assert_allclose(found, in_memory(10, rows, initial, floor=floor), rtol=1e-12)


def test_a_million_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "CHUNK", 300_000)
    random = np.random.default_rng(1)
    pages, number = 100_000, 1_000_000
    sources, targets = (random.zipf(1.3, number) % pages, random.integers(0, pages, number))
    weights = random.random(number).astype(np.float32)
    initial = np.where(random.random(pages) < 0.5, random.random(pages), np.nan)
    file = LinkFile(tmp_path / "links", pages)
    file.append(sources, targets, weights)
    found = file.ipagerank(initial.copy(), floor=0.1)

    rows = np.column_stack([sources, targets, weights])
    np.testing.assert_allclose(found, in_memory(pages, rows, initial, floor=0.1), rtol=1e-12)
    assert found.min() >= 0.15 - 1e-12


def test_no_link(tmp_path: Path) -> None:
    found = LinkFile(tmp_path / "links", 2).ipagerank(np.array([0.5, np.nan]))
    np.testing.assert_allclose(found, [0.15, 0.15])
