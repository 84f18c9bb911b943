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
from tests.crawl.test_fetching import TEXT, outcomes, own
from tests.crawl.test_private_addresses import crawl, server
from tests.stored import count

pytest.importorskip("playwright", reason="pip install zhuti[render]")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not any(map(shutil.which, NAMES)), reason="apt-get install chromium"),
]

SHELL = '<title>机器</title><div id="app"></div><script src="http://127.0.0.3:SCRIPTS/app.js"></script>'
APP = """
const app = document.getElementById("app")
fetch("/api" + location.pathname).then(got => got.json()).then(({title, text, links}) => {
    app.innerHTML = `<h1>${title}</h1><article>${text.map(line => `<p>${line}</p>`).join("")}</article>`
    for (const link of links) app.insertAdjacentHTML("beforeend", `<a href="${link}">${link}</a> `)
})
fetch("/forbidden").then(() => app.append("read although forbidden"), () => 0)
for (const way of ["/away", "http://127.0.0.2:PORT/private"]) fetch(way, {mode: "no-cors"}).catch(() => 0)
"""


def scripts(path: str, private: int) -> tuple[int, dict[str, str], bytes]:
    kind = {"Content-Type": "text/javascript"}
    return (200, kind, APP.replace("PORT", str(private)).encode()) if path == "/app.js" else (404, {}, b"")


def site(path: str, private: int, scripts: int) -> tuple[int, dict[str, str], bytes]:
    kind = {"Content-Type": "text/html; charset=utf-8", "ETag": '"shell"'}
    if path == "/robots.txt":
        return 200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /forbidden"
    if path == "/away":
        return 302, {"Location": f"http://127.0.0.2:{private}/redirected"}, b""
    if path.startswith("/api/"):
        name = path.removeprefix("/api/")
        links = ["/1", "/2", "/3"] if not name else []
        said = {"title": f"机器学习 {name}", "text": [own(name), TEXT] if name else [], "links": links}
        return 200, {"Content-Type": "application/json"}, json.dumps(said).encode()
    if path in ("/.well-known/tdmrep.json", "/ai.txt"):
        return 404, {}, b""
    return 200, kind, SHELL.replace("SCRIPTS", str(scripts)).encode()


OPTIONS = ("-s", "ALLOW_ADDRESSES=127.0.0.1/32,127.0.0.3/32", "-s", "RENDER=auto")


def test_a_crawl_in_which_chromium_is_killed(tmp_path: Path, topics: Path) -> None:
    """Its pages are rendered until then; after one sentence it goes on."""
    asked: list[str] = []

    def killing(path: str) -> tuple[int, dict[str, str], bytes]:
        asked.append(path)
        if path.startswith("/api/") and len([path for path in asked if path.startswith("/api/")]) == 4:
            for pid in subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True).stdout.split():
                os.kill(int(pid), signal.SIGKILL)
        return site(path, private, port_of_scripts)

    mark = f"crash-dumps-dir={tmp_path}"  # by which its processes are known
    program = tmp_path / "chromium"
    real = next(filter(None, map(shutil.which, NAMES)))
    program.write_text(f'#!/bin/sh\nexec {real} --{mark} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    more = ["MINING_TAGS_OBEY=True", f"RENDER_BROWSER={program}"]
    more += ["CONCURRENT_REQUESTS_PER_DOMAIN=1", f"WARC_DIR={tmp_path}/warc"]
    with (
        server("127.0.0.2", lambda _: (200, {}, b"secret")) as (private, reached),
        server("127.0.0.3", lambda path: scripts(path, private)) as (port_of_scripts, asked_for_scripts),
        server("127.0.0.1", killing) as (port, _),
    ):
        first = f"http://127.0.0.1:{port}/"
        told = crawl(tmp_path, topics, [first], *OPTIONS, *(part for setting in more for part in ("-s", setting)))
    ends = {url.removeprefix(first): end for url, end in outcomes(tmp_path).items()}
    assert "never retrieved" not in told
    assert told.count("Chromium has ended") == 1
    assert ends.keys() == {"", "1", "2", "3"}
    assert ends[""][1].startswith("its scripts were run: "), "a list"
    assert [ends[name] for name in "123"].count(("kept", "its scripts were run")) == 2
    assert "'zhuti/render/paid': 3" in told
    assert "'zhuti/fetched': 4" in told, "what pages ask for is not a page"
    assert asked_for_scripts == ["/robots.txt", "/app.js"], "no file about mining, and each once"
    assert asked.count("/robots.txt") == asked.count("/ai.txt") == 1
    assert "/forbidden" not in asked, "robots.txt forbids it"
    assert "/away" in asked and reached == [], "no address that is not allowed"
    assert count(tmp_path, "visits WHERE etag IS NOT NULL") == 1, "that of the last, a shell"


def test_no_chromium(tmp_path: Path, topics: Path) -> None:
    told = crawl(tmp_path, topics, ["http://127.0.0.1:9/"], *OPTIONS, "-s", "RENDER_BROWSER=/no/such/chromium")
    assert "RENDER=auto: Chromium does not start (there is no program /no/such/chromium); install it" in told
