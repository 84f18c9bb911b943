"""A small recorded web."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FILES = {
    "a.example/index.html": "<title>甲站首页</title>".encode(),
    "a.example/文章/index.html": "<p>路径里有汉字</p>".encode(),
    "a.example/post.html": b"<p>post</p>",
    "a.example/list.html?page=2": b"<p>second page</p>",
    "a.example/robots.txt": b"User-agent: *\nDisallow: /private/\n",
    "a.example/empty.html": b"",
    "a.example/wrong.html": "<p>标错了编码</p>".encode("gb18030"),
    "a.example/file.bin": bytes(range(256)),
    "b.example/index.html": b"<title>b</title>",
}
RULES = {
    "http://a.example/old": {"status": 302, "location": "http://b.example/"},
    "http://a.example/gone": {"status": 410},
    "http://a.example/wrong.html": {"content_type": "text/html; charset=utf-8"},
    "http://a.example/file.bin": {"content_type": "text/html"},
    "http://a.example/empty.html": {"content_type": ""},
    "http://a.example/post.html": {"status": 500},
    "https://b.example/secure": {"status": 301, "location": "https://b.example/other"},
}
ALIASES = {"first": {"host": "a.example", "aliases": ["Old-A.example", "b.example"]}}


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded") / "web"
    for name, body in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    (folder / "_replay.json").write_text(json.dumps(RULES), encoding="utf-8")
    (folder / "aliases.json").write_text(json.dumps(ALIASES), encoding="utf-8")
    (folder / "notes").mkdir()  # no host
    return folder
