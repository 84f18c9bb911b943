"""A recorded web in which some hosts show no index file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.replay.hidden_index import HiddenIndex
from lab.replay.opening import open_recording

FILES = ("sitemap.xml", "atom.xml", "tags/a/index.xml", "search.json", "wp-json/wp/v2/posts")
PAGES = ("robots.txt", "index.html", "rss-readers.html", "2020/feed-the-cat/index.html")
HOSTS = [f"host{number}.example" for number in range(40)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (f"{host}/{file}" for host in HOSTS for file in (*FILES, *PAGES)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("<html></html>")
    return tmp_path


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.5, 10, 30), (1.0, 40, 40)])
def test_a_host_shows_all_or_none(folder: Path, share: float, least: int, most: int) -> None:
    web = HiddenIndex(open_recording(folder), share)
    there = {host: [web.find("http", host, f"/{file}") is not None for file in FILES] for host in HOSTS}
    assert all(len(set(found)) == 1 for found in there.values())
    assert least <= sum(not any(found) for found in there.values()) <= most
    assert all(web.find("http", host, f"/{page}") is not None for host in HOSTS for page in PAGES)
