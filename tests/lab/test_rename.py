"""A made-up rename: all posts at other addresses from one day on, and all links with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from lab.lapse.rename import rename
from lab.lapse.truth import Move, Truth
from lab.lapse.web import DailyWeb
from tests.lab.replay.lapsed import write

HOST, OTHER = "a.example", "b.example"


def row(path: str, is_post: bool) -> dict[str, object]:
    url = f"http://{HOST}/{path}".removesuffix("index.html")
    known = {"host": HOST, "url": url, "path": path, "is_post": is_post, "initial": True, "first_day": 0.0}
    return known | {"last_day": 90.0, "topics": ["tea"], "refresh": 0, "changes_text": [3.0]}


@pytest.mark.parametrize("post", ["2024/绿茶/index.html", "p/1.html"])
def test_posts_and_their_links_move(tmp_path: Path, post: str) -> None:
    link = post.removesuffix("index.html")
    home = f'<a href="/{link}">1</a> <a href="http://{HOST}/{link}">1</a> <a href="/about/">2</a>'
    pages = {f"{HOST}/index.html": home, f"{HOST}/{post}": "text", f"{HOST}/about/index.html": "us"}
    lapse = write(tmp_path / "lapse", {**{name: [(0.0, text)] for name, text in pages.items()}, OTHER: [(0.0, "x")]})
    lines = "".join(json.dumps(label) + "\n" for label in (row(post, True), row("about/index.html", False)))
    (lapse / "labels.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    rename(lapse, tmp_path / "out", tmp_path / "store", [HOST], 10.0)

    web = DailyWeb(tmp_path / "out", tmp_path / "renamed")
    assert list(web.hosts) == [HOST]
    old, new = f"http://{HOST}/{link}", f"http://{HOST}/renamed/{link}"
    assert (web.fetch(old).status, web.fetch(new).status) == (200, 404)
    assert web.fetch(f"http://{HOST}/").markup == home
    web.day = 10.0
    assert (web.fetch(old).status, web.fetch(new).markup) == (404, "text")
    assert web.fetch(f"http://{HOST}/").markup == home.replace(link, f"renamed/{link}")
    assert web.fetch(f"http://{HOST}/about/").markup == "us"
    [move] = Truth(tmp_path / "out", {}, web.hosts).moves
    assert isinstance(move, Move)
    assert (move.day, "renamed" in move.old, "renamed" in move.new) == (10.0, False, True)
