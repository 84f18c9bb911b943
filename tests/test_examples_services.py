"""Examples that need a browser or a server, which come from PyPI: skipped where these are not installed."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.conftest import LOOPBACK, ROOT

pytestmark = pytest.mark.slow
PATIENCE = 90  # seconds
OURS = {**os.environ, "PYTHONPATH": str(ROOT)}
SETTINGS = dict(LOOPBACK[place + 1].split("=", 1) for place in range(0, len(LOOPBACK), 2))


def kept(harvest: Path) -> set[str]:
    with sqlite3.connect(harvest) as database:
        return {url for (url,) in database.execute("SELECT url FROM pages WHERE body IS NOT NULL")}


@pytest.fixture
def scrapyd(tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("scrapyd", reason="pip install scrapyd")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "scrapyd.conf").write_text(f"[scrapyd]\nhttp_port = {port}\npoll_interval = 0.2\n", encoding="utf-8")
    log = (tmp_path / "scrapyd.log").open("w")
    server = subprocess.Popen([sys.executable, "-m", "scrapyd"], cwd=tmp_path, env=OURS, stdout=log, stderr=log)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait(PATIENCE)
        log.close()


def ask(url: str, content: bytes | None = None, kind: str = "application/x-www-form-urlencoded") -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urlopen(Request(url, content, {"Content-Type": kind})) as answer:
                found: dict[str, object] = json.load(answer)
                assert found["status"] == "ok", found
                return found
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def egg(project: Path, target: Path) -> bytes:
    """What scrapyd-deploy sends: the project, and where its settings are."""
    with zipfile.ZipFile(target, "w") as packed:
        for path in sorted((project / "shop").rglob("*.py")):
            packed.write(path, path.relative_to(project))
        packed.writestr("EGG-INFO/PKG-INFO", "Metadata-Version: 2.1\nName: shop\nVersion: 1\n")
        packed.writestr("EGG-INFO/entry_points.txt", "[scrapy]\nsettings = shop.settings\n")
    return target.read_bytes()


def form(boundary: str, fields: dict[str, bytes]) -> bytes:
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n' for name in fields]
    whole = b"".join(part.encode() + value + b"\r\n" for part, value in zip(parts, fields.values(), strict=True))
    return whole + f"--{boundary}--\r\n".encode()


def test_a_real_scrapyd(scrapyd: str, site: str, tmp_path: Path) -> None:
    harvest = tmp_path / "harvest.db"
    fields = {"project": b"shop", "version": b"1", "egg": egg(ROOT / "examples" / "addon", tmp_path / "shop.egg")}
    assert ask(f"{scrapyd}daemonstatus.json")["running"] == 0
    added = ask(f"{scrapyd}addversion.json", form("zhuti", fields), "multipart/form-data; boundary=zhuti")
    assert added["spiders"] == 2, added
    settings = [*LOOPBACK[1::2], f"STORE_URL=sqlite:///{harvest}"]
    crawl = [
        ("project", "shop"),
        ("spider", "topic"),
        ("topic", "java"),
        ("seeds", site),
        *(("setting", one) for one in settings),
    ]
    job = ask(f"{scrapyd}schedule.json", urlencode(crawl).encode())["jobid"]
    deadline = time.monotonic() + PATIENCE
    while not any(one["id"] == job for one in ask(f"{scrapyd}listjobs.json?project=shop")["finished"]):
        assert time.monotonic() < deadline, (tmp_path / "scrapyd.log").read_text()
        time.sleep(0.5)
    assert kept(harvest) == {f"{site}0.html", f"{site}1.html"}
