"""What publishers forbid, in crawls of a small server: obeyed, told by `zhuti why`, counted in the data card."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Scrapy
from tests.crawl.test_fetching import outcomes, page
from tests.crawl.test_private_addresses import crawl, server

pytestmark = pytest.mark.slow
FORBIDS = "its publisher forbids keeping it"
METAS = {"hidden": "noindex", "dead": "nofollow", "untrained": "noai"}
HEADERS = {"headed": ("X-Robots-Tag", "none"), "mined": ("TDM-Reservation", "1")}


def answer(path: str) -> tuple[int, dict[str, str], bytes]:
    name = path.strip("/")
    head = f'<head><meta name="robots" content="{METAS[name]}">' if name in METAS else "<head>"
    leads = [] if "leads-here" in name else [f"/{name}-leads-here"]  # not on and on, up to PAGE_BUDGET
    links = [f"/{n}" for n in (*METAS, *HEADERS)] if not name else leads
    body = page(name or "首页", *links).replace(b"<head>", head.encode())
    return 404 if "robots.txt" in name else 200, dict([HEADERS[name]]) if name in HEADERS else {}, body


@pytest.mark.parametrize(("robots", "mining"), [(True, True), (False, True), (True, False)])
def test_what_publishers_forbid(tmp_path: Path, topics: Path, scrapy: Scrapy, robots: bool, mining: bool) -> None:
    with server("127.0.0.1", answer) as (port, _):
        host = f"http://127.0.0.1:{port}"
        obey = ("-s", f"ROBOTS_TAGS_OBEY={robots}", "-s", f"MINING_TAGS_OBEY={mining}")
        crawl(tmp_path, topics, [f"{host}/"], "-s", "ALLOW_ADDRESSES=127.0.0.0/8", *obey)
    ends = {url.removeprefix(f"{host}/"): end for url, end in outcomes(tmp_path).items()}
    assert (ends[""], ends["dead"]) == (("off-topic", "The page is a list of links."), ("kept", ""))
    for name, said, obeyed in (
        ("hidden", "noindex", robots),
        ("headed", "noindex", robots),
        ("untrained", "noai", mining),
        ("mined", "tdm-reservation", mining),
    ):
        kept = ("kept", f"although its publisher says {said}")
        assert ends[name] == (("off-topic", f"{FORBIDS} ({said})") if obeyed else kept), name
    assert {"hidden-leads-here", "untrained-leads-here"} <= ends.keys(), "a page that is not kept leads on"
    assert ("dead-leads-here" in ends) == ("headed-leads-here" in ends) == (not robots)
    told = scrapy("why", f"{host}/untrained")
    assert (f"{FORBIDS} (noai)" in told.stdout) == mining, told.stderr
    assert ("although its publisher says noai" in told.stdout) == (not mining)
    (tmp_path / "corpus").mkdir()
    scrapy("export", "machine-learning", str(tmp_path / "corpus" / "c.jsonl"))
    card = (tmp_path / "corpus" / "README.md").read_text("utf-8")
    counted = f"not kept, {FORBIDS} (noai)" if mining else "kept, although its publisher says noai"
    assert f"| {counted} | 1 |" in card


SITE = {
    "/robots.txt": "User-agent: *\nContent-Usage: /art/ train-ai=n\nDisallow: /closed",
    "/.well-known/tdmrep.json": '[{"location": "/mine/*", "tdm-reservation": 1}]',
    "/ai.txt": "User-agent: *\nDisallow: /text/",
}
FILES = ("/robots.txt", "/.well-known/tdmrep.json", "/ai.txt")


@pytest.mark.parametrize("obeyed", [True, False])
def test_what_files_of_a_site_reserve(tmp_path: Path, topics: Path, obeyed: bool) -> None:
    """Each is asked for once a host, and only with its setting; they count in the table."""
    names = ("art/1", "mine/1", "text/1", "open/1")

    def site(path: str) -> tuple[int, dict[str, str], bytes]:
        if path in FILES:
            return 200, {"Content-Type": "text/plain"}, SITE[path].encode()
        return 200, {}, page(path.strip("/") or "首页", *(f"/{name}" for name in names))

    with server("127.0.0.1", site) as (port, asked):
        host = f"http://127.0.0.1:{port}/"
        told = crawl(tmp_path, topics, [host], "-s", "ALLOW_ADDRESSES=127.0.0.0/8", "-s", f"MINING_TAGS_OBEY={obeyed}")
    ends = {url.removeprefix(host): end for url, end in outcomes(tmp_path).items()}
    assert ends["open/1"] == ("kept", "")
    said = {"art/1": "noai", "mine/1": "tdm-reservation", "text/1": "noai"}
    if obeyed:
        assert {name: ends[name] for name in said} == {
            name: ("off-topic", f"{FORBIDS} ({word})") for name, word in said.items()
        }
        assert asked[:3] == list(FILES)
        assert "3 more for robots.txt, tdmrep.json and ai.txt" in told
    else:
        assert ends["art/1"] == ("kept", "although its publisher says noai")
        assert ends["mine/1"] == ends["text/1"] == ("kept", "")
        assert "1 more for robots.txt, tdmrep.json and ai.txt" in told
    assert [path for path in asked if path in FILES] == list(FILES if obeyed else FILES[:1])
