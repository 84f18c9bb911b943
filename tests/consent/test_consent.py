"""What a site said of a page's use when it was fetched, and what becomes of the page when the site changes its mind."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from crawler.clock import CLOCK
from tests.conftest import LOOPBACK, Scrapy
from tests.crawl.test_fetching import page
from tests.crawl.test_private_addresses import server
from tests.stored import rows
from zhuti.consent.withdrawn import kept_of, withdraw
from zhuti.export.corpus import export

A, B, C = (f"http://a.example/{name}" for name in "abc")


def test_a_later_no_of_a_sites_files(crawl: Any, kept: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """In SQLite and PostgreSQL: what is reserved leaves the export, the log tells it, and the rest stays."""
    crawl.frontier.seed([A, B, C], now=0)
    ledger = json.dumps({"day": "2026-11-28", "files": {"/robots.txt": "00ff00ff", "/ai.txt": "404"}})
    visits = [kept(claim) for claim in crawl.claim()]
    crawl.store.commit([replace(one, analysis=replace(one.analysis, consent=ledger)) for one in visits])
    topic_id = crawl.frontier.topic_id
    with crawl.database.transaction() as connection:
        there = kept_of(connection, topic_id, "a.example")
        assert {url for _, url in there} == {A, B, C} and not kept_of(connection, topic_id, "b.example")
        withdraw(connection, topic_id, {row: frozenset({"noai"}) for row, url in there if url != B}, "a.example")
        assert [url for _, url in kept_of(connection, topic_id, "a.example")] == [B]
        logged = connection.execute(text("SELECT count(*) FROM fetches WHERE outcome = 'dropped' AND NOT sent"))
        assert logged.scalar() == 2
    assert "2 pages of a.example are" in caplog.text and "forget-withdrawn --host a.example" in caplog.text
    assert export(crawl.database, "t", tmp_path / "c.jsonl", fields=("url", "consent")) == 1
    line = json.loads((tmp_path / "c.jsonl").read_text())
    assert line == {"url": B, "consent": ledger}
    assert "| /robots.txt: there | 1 |" in next(tmp_path.glob("*README.md")).read_text()


RSL = '<rsl><content url="{}"><license><{} type="usage">ai-train</{}></license></content></rsl>'
HTML = "text/html; charset=utf-8"
# What a page, its header or a file of its host says later, by its path: these leave at once.
LATER = ("disallowed", "usage", "ai", "tdm", "terms", "meta", "header", "unmodified", "licensed", "noindex")
STAY = ("closed", "free")  # a notice in a page's place that nobody is to index; nothing


class Site:
    """Answers as its day says: 0 nothing is reserved, 1 all of LATER is, 2 nothing again."""

    def __init__(self) -> None:
        self.day = 0
        self.conditional: set[str] = set()

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        name, no = path.strip("/"), self.day == 1
        if name.endswith((".txt", ".json", ".xml")):
            return self.file(name, no)
        if name not in ("", *LATER, *STAY):
            return 404, {}, b""
        headers, body = {"Content-Type": HTML}, page(name or "首页", *(f"/{one}" for one in (*LATER, *STAY)))
        if name in ("unmodified", "licensed"):
            headers["ETag"] = '"1"'
        if name == "licensed":
            body = body.replace(b"<head>", b'<head><link rel=license type=application/rsl+xml href="/page.xml">')
        if no and name in ("header", "unmodified"):
            headers["Content-Usage"] = "train-ai=n"
        if no and name in ("meta", "noindex", "closed"):
            body = page("维护", text="系统维护，请稍后再来。") if name == "closed" else body
            said = "noai" if name == "meta" else "noindex"
            body = body.replace(b"<head>", f'<head><meta name="robots" content="{said}">'.encode())
        return (304, headers, b"") if path in self.conditional else (200, headers, body)

    def file(self, name: str, no: bool) -> tuple[int, dict[str, str], bytes]:
        said = {
            "robots.txt": "User-agent: *\nAllow: /\nLicense: http://localhost:{port}/site.xml\n"
            + ("Disallow: /disallowed\nContent-Usage: /usage train-ai=n\n" if no else ""),
            "ai.txt": "User-agent: *\nDisallow: /ai\n" if no else "",
            ".well-known/tdmrep.json": '[{"location": "/tdm", "tdm-reservation": 1}]' if no else "[]",
            "site.xml": RSL.format("/terms", *2 * ["prohibits" if no else "permits"]),
            "page.xml": RSL.format("/licensed", *2 * ["prohibits" if no else "permits"]),
        }
        text = said.get(name, "").replace("http://localhost:{port}", self.origin)
        return (200 if text else 404), {"Content-Type": "text/plain", "Cache-Control": "max-age=60"}, text.encode()

    origin = ""


@pytest.mark.slow
def test_a_site_that_changes_its_mind(scrapy: Scrapy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two months later it says no by each of its ways, and its pages are left out of everything; two months later it
    says yes, and they are back. `why`, the news and the housekeeping tell."""
    site = Site()

    def kept_then() -> set[str]:
        found = rows(tmp_path, "SELECT url FROM judgements JOIN urls ON urls.id = url_id WHERE outcome = 'kept'")
        return {str(address).rpartition("/")[2] for (address,) in found} - {""}

    def days_later(day: int) -> str:
        site.day = day
        conditional.clear()
        monkeypatch.setenv(CLOCK, str(60 * day * 86400))
        done = scrapy(*crawl, "-s", "REVISIT=True")
        assert done.returncode == 0, done.stderr
        return done.stderr

    conditional = site.conditional
    with server("127.0.0.1", site.answer, conditional) as (port, _):
        site.origin = url = f"http://127.0.0.1:{port}"
        crawl = ("crawl", "topic", "-a", "topic=machine-learning", "-a", f"seeds={url}/", *LOOPBACK)
        crawl += ("-s", "EXTRACTOR=plain", "-s", "MINING_TAGS_OBEY=True", "-s", "INDEX_FILES=False")
        assert scrapy(*crawl).returncode == 0
        assert kept_then() == {*LATER, *STAY}
        told = scrapy("why", f"{url}/unmodified")
        assert "/robots.txt " in told.stdout and "/ai.txt 404" in told.stdout, told.stdout + told.stderr
        assert f"{url}/site.xml " in told.stdout
        assert "zhuti store forget-withdrawn --host" in days_later(1)
        assert kept_then() == set(STAY)
        table = scrapy("news", "machine-learning")
        assert f"{len(LATER)} of them because their publishers now refuse" in table.stdout, table.stdout + table.stderr
        (tmp_path / "labels.csv").write_text(f"url,answer\n{url}/usage,yes\n{url}/meta,yes\n", encoding="utf-8")
        answers = ("label", "machine-learning", "--import", str(tmp_path / "labels.csv"))
        for undo in (answers, ("rejudge", "machine-learning")):
            done = scrapy(*undo)
            assert done.returncode == 0, done.stderr
            assert kept_then() == set(STAY), undo
        would = scrapy("store", "forget-withdrawn", "--dry-run")
        assert would.stdout.startswith(f"{len(LATER)} pages would be removed, {len(LATER)} of them with a body")
        days_later(2)
        assert kept_then() == {*LATER, *STAY}
