"""What can be reached over a recorded web's links."""

from pathlib import Path

import pytest

from lab.links.cache import Cache
from lab.links.graph import WebGraph
from lab.links.recorded import RecordedWeb

FILES = {
    "a.example/index.html": '<a href="/1">1</a><a href="http://b.example/">b</a><a href="/gone">gone</a>',
    "a.example/1.html": '<a href="/">home</a><a href="https://a.example/2/">2</a>',
    "a.example/2/index.html": '<meta http-equiv="refresh" content="0; url=/3">',
    "a.example/3.html": '<a href="/3">3</a><a href="/1">1</a>',
    "a.example/island.html": '<a href="/">home</a>',
    "b.example/index.html": '<a href="/x">x</a>',
    "b.example/x.html": "no links",
}
HOME = "http://a.example/"


@pytest.fixture
def graph(tmp_path: Path) -> WebGraph:
    for name, content in FILES.items():
        path = tmp_path / "web" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<html><body>{content}</body></html>", encoding="utf-8")
    return WebGraph(RecordedWeb.open(tmp_path / "web"), Cache(tmp_path / "cache"), "*", [].append)


@pytest.mark.parametrize("times", [1, 2])
def test_cycles_redirects_and_refreshes(graph: WebGraph, times: int) -> None:
    for _ in range(times):
        found = graph.reachable([HOME], lambda url: True)
    pages = ["", "1", "2/", "3"]
    assert found == {HOME + page for page in pages} | {"http://b.example/", "http://b.example/x"}


def test_only_allowed_addresses(graph: WebGraph) -> None:
    assert graph.reachable([HOME], lambda url: "b.example" not in url and not url.endswith("1")) == {HOME}


def test_a_seed_without_links_and_one_that_is_missing(graph: WebGraph) -> None:
    assert graph.reachable(["http://b.example/x", "http://c.example/"], lambda url: True) == {"http://b.example/x"}


def test_where_an_address_ends(graph: WebGraph) -> None:
    assert graph.end("https://a.example/2/") == "http://a.example/3"
    assert graph.end(HOME) == HOME
