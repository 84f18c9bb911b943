"""Crawls of a site whose pages need scripts, by a real Chromium."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from crawler.crawl.browser import NAMES
from tests.conftest import rows
from tests.crawl.test_fetching import TEXT, outcomes, own
from tests.crawl.test_private_addresses import crawl, server

pytest.importorskip("playwright", reason="pip install zhuti[render]")
pytestmark = pytest.mark.skipif(not any(map(shutil.which, NAMES)), reason="apt-get install chromium")

SHELL = '<title>机器</title><div id="app"></div><script src="/app.js"></script>'.encode()
APP = """
const app = document.getElementById("app")
fetch("/api" + location.pathname).then(got => got.json()).then(({title, text, links}) => {
    app.innerHTML = `<h1>${title}</h1><article>${text.map(line => `<p>${line}</p>`).join("")}</article>`
    for (const link of links) app.insertAdjacentHTML("beforeend", `<a href="${link}">${link}</a> `)
})
fetch("/forbidden").then(() => app.append("read although forbidden"), () => 0)
for (const way of ["/away", "http://127.0.0.2:PORT/private"]) fetch(way, {mode: "no-cors"}).catch(() => 0)
"""


def site(path: str, private: str) -> tuple[int, dict[str, str], bytes]:
    kind = {"Content-Type": "text/html; charset=utf-8", "ETag": '"shell"'}
    if path == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /forbidden"
    if path == "/app.js":
        return 200, {"Content-Type": "text/javascript"}, APP.replace("PORT", private).encode()
    if path == "/away":
        return 302, {"Location": f"http://127.0.0.2:{private}/redirected"}, b""
    if path.startswith("/api/"):
        name = path.removeprefix("/api/")
        links = ["/1", "/2", "/3"] if not name else []
        said = {"title": f"机器学习 {name}", "text": [own(name), TEXT] if name else [], "links": links}
        return 200, {"Content-Type": "application/json"}, json.dumps(said).encode()
    return 200, kind, SHELL


OPTIONS = ("-s", "ALLOW_ADDRESSES=127.0.0.1/32", "-s", "RENDER=auto")


def test_a_crawl_in_which_chromium_is_killed(tmp_path: Path, topics: Path) -> None:
    """Its pages are rendered until then; after one sentence it goes on."""
    asked: list[str] = []

    def killing(path: str) -> tuple[int, dict[str, str], bytes]:
        asked.append(path)
        if path.startswith("/api/") and len([path for path in asked if path.startswith("/api/")]) == 4:
            for pid in subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True).stdout.split():
                os.kill(int(pid), signal.SIGKILL)
        return site(path, str(private))

    mark = f"crash-dumps-dir={tmp_path}"  # by which its processes are known
    program = tmp_path / "chromium"
    real = next(filter(None, map(shutil.which, NAMES)))
    program.write_text(f'#!/bin/sh\nexec {real} --{mark} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    one_by_one = ("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    with (
        server("127.0.0.2", lambda _: (200, {}, b"secret")) as (private, reached),
        server("127.0.0.1", killing) as (port, _),
    ):
        first = f"http://127.0.0.1:{port}/"
        more = (*OPTIONS, *one_by_one, "-s", f"RENDER_BROWSER={program}", "-s", f"WARC_DIR={tmp_path}/warc")
        told = crawl(tmp_path, topics, [first], *more)
    ends = {url.removeprefix(first): end for url, end in outcomes(tmp_path).items()}
    assert "never retrieved" not in told
    assert told.count("Chromium has ended") == 1
    assert ends.keys() == {"", "1", "2", "3"}
    assert ends[""][1].endswith("; its scripts were run"), "a list"
    assert [ends[name] for name in "123"].count(("kept", "its scripts were run")) == 2
    assert "'zhuti/render/paid': 3" in told
    assert "'zhuti/fetched': 4" in told, "what pages ask for is no page"
    assert asked.count("/app.js") == asked.count("/robots.txt") == 1
    assert "/forbidden" not in asked, "robots.txt forbids it"
    assert "/away" in asked and reached == [], "no address that is not allowed"
    assert rows(tmp_path, "SELECT count(*) FROM visits WHERE etag IS NOT NULL") == [(1,)], "that of the last, a shell"


def test_no_chromium(tmp_path: Path, topics: Path) -> None:
    told = crawl(tmp_path, topics, ["http://127.0.0.1:9/"], *OPTIONS, "-s", "RENDER_BROWSER=/no/such/chromium")
    assert "RENDER=auto: Chromium does not start (there is no program /no/such/chromium); install it" in told
