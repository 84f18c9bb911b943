"""Sources of seeds, asked as their documentation says, from servers on this machine that speak their protocols."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from crawler.errors import CrawlerError, SourceError
from crawler.records import Outcome, Visit
from tests.crawl.test_private_addresses import server
from tests.crawls import Crawl, analysis
from zhuti.seeding import sources
from zhuti.seeding.seeds_from_words import named_by
from zhuti.seeding.source import Proposal, SeedSource, Surroundings
from zhuti.seeding.sources import SOURCES, seed_source

AROUND = Surroundings("Zhuti (+https://me.example)", "sqlite:///nowhere.db")
Query = dict[str, str]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "PAUSE", 0.0)


def names(source: str, words: str = "渡口 船", around: Surroundings = AROUND, most: int = 100) -> list[str]:
    return [proposal.url for proposal in islice(seed_source(source, around).proposals(words), most)]


def speaks(answer: Callable[[str, Query], object]) -> Callable[[str], tuple[int, dict[str, str], bytes]]:
    """A server whose answers are JSON, or text, of path and query."""

    def say(target: str) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(target)
        said = answer(parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()})
        if isinstance(said, int):
            return said, {}, b""
        return 200, {}, (said if isinstance(said, str) else json.dumps(said)).encode()

    return say


def test_searxng() -> None:
    def answer(path: str, query: Query) -> object:
        assert (path, query["q"], query["format"]) == ("/search", "渡口 船", "json")
        page = int(query["pageno"])
        return {"results": [{"url": f"https://s{page}{n}.example/"} for n in range(2)] if page < 3 else []}

    with server("127.0.0.1", speaks(answer)) as (port, asked):
        found = names(f"searxng:http://127.0.0.1:{port}/")
        assert found == [f"https://s{page}{n}.example/" for page in (1, 2) for n in range(2)]
        asked.clear()
        names(f"searxng:http://127.0.0.1:{port}", most=1)
        assert len(asked) == 1, "asked as far as wanted"


def test_mediawiki() -> None:
    def answer(path: str, query: Query) -> object:
        assert (path, query["action"], query["formatversion"]) == ("/w/api.php", "query", "2")
        if query.get("list") == "search":
            return {"query": {"search": [{"pageid": 7, "title": "渡口"}, {"pageid": 3, "title": "船"}]}}
        assert (query["prop"], query["pageids"]) == ("extlinks", "7|3")
        links = {3: ["https://c.example/"], 7: ["https://a.example/1", "//b.example/"]}
        return {
            "query": {
                "pages": [{"pageid": row_id, "extlinks": [{"url": u} for u in links[row_id]]} for row_id in (3, 7)]
            }
        }

    with server("127.0.0.1", speaks(answer)) as (port, _):
        found = names(f"mediawiki:http://127.0.0.1:{port}/w/api.php")
    assert found == ["https://a.example/1", "https://c.example/", "https://b.example/"], "the articles in turn"


ROWS = [("https://a.example/1", "200", "text/html"), ("https://a.example/2", "404", "text/html")]
ROWS += [("https://b.example/1.png", "200", "image/png"), ("https://b.example/", "200", "text/html")]
PYWB = "\n".join(
    json.dumps({"urlkey": "x", "timestamp": "2026", "url": url, "mime": mime, "status": status})
    for url, status, mime in ROWS
)
WAYBACK = json.dumps([["urlkey", "original", "statuscode", "mimetype"], *(["x", *row] for row in ROWS)])


@pytest.mark.parametrize("said", [PYWB, PYWB.replace("{", "com,a)/ 2026 {"), WAYBACK])
def test_cdx(said: str) -> None:
    def answer(path: str, query: Query) -> object:
        assert (path, query["url"], query["output"]) == ("/2026-index", "*.example", "json")
        return said

    with server("127.0.0.1", speaks(answer)) as (port, _):
        found = names(f"cdx:http://127.0.0.1:{port}/2026-index?url=*.example")
    assert found == ["https://a.example/1", "https://b.example/"]


@pytest.mark.parametrize(
    "said", ['{"url": ["https://a.example/1"]}', "{" * 100_000, "[" * 100_000, "[[], 1, null]", "[]", "<p>No", "\0", ""]
)
def test_an_archive_that_says_something_else(said: str) -> None:
    with server("127.0.0.1", speaks(lambda *_: said)) as (port, _):
        assert names(f"cdx:http://127.0.0.1:{port}/index?url=*.example") == []


def test_files(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://a.example/1\n# c\nhttps://b.example/\n", encoding="utf-8")
    (tmp_path / "own.opml").write_text(
        '<opml version="2.0"><body><outline text="船"><outline type="rss" xmlUrl="https://a.example/feed.xml"'
        ' htmlUrl="https://a.example/blog/"/><outline xmlUrl="https://b.example/f/atom.xml"/></outline></body></opml>',
        encoding="utf-8",
    )
    (tmp_path / "marks.html").write_text(
        '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><A HREF="https://a.example/">x</A><DT><A HREF="place:x">y</A></DL>',
        encoding="utf-8",
    )
    assert names(f"list:{tmp_path / 'list.txt'}") == ["https://a.example/1", "https://b.example/"]
    assert names(f"feeds:{tmp_path / 'list.txt'}") == ["https://a.example/", "https://b.example/"]
    assert names(f"opml:{tmp_path / 'own.opml'}") == ["https://a.example/blog/", "https://b.example/"]
    assert names(f"bookmarks:{tmp_path / 'marks.html'}") == ["https://a.example/", "place:x"]


HOSTILE = {
    "marks.html": (f"<a {' '.join(f'a{n}=b' for n in range(100_000))} href=/no>", "<dl><p>" * 100_000),
    "own.opml": (
        "<!DOCTYPE o [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><outline htmlUrl='/&b;'/>",
        "<outline>" * 100_000,
        "<!DOCTYPE o [<!ENTITY a 'xxxxxxxxxx'>"
        + "".join(f"<!ENTITY {name} '{f'&{inner};' * 10}'>" for inner, name in zip("abcdefgh", "bcdefghi", strict=True))
        + "]><outline text='&i;'/>",
    ),
}


@pytest.mark.parametrize(("name", "content"), [(name, text) for name, texts in HOSTILE.items() for text in texts])
def test_a_hostile_file_names_no_page(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    source = {"marks.html": "bookmarks", "own.opml": "opml"}[name]
    assert not any("://" in found or "root" in found for found in names(f"{source}:{tmp_path / name}"))


def test_an_archive(tmp_path: Path) -> None:
    pages = {"https://a.example/": "<p>过了渡口", "https://b.example/": "<p>茶"}
    (tmp_path / "one.warc").write_bytes(b"".join(record(url, text) for url, text in pages.items()))
    [found] = seed_source(f"warc:{tmp_path}", AROUND).proposals("渡口 船")
    assert found == Proposal("https://a.example/", "<p>过了渡口")


def record(url: str, text: str) -> bytes:
    content = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + text.encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <{url}>\r\nContent-Type: application/http\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content + b"\r\n\r\n"


def test_another_topics_harvest(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'harvest.db'}"
    crawl = Crawl(url, "tea")
    texts = {"https://x.example/": "老渡口", "https://y.example/": "渡口的船", "https://z.example/": "茶"}
    crawl.frontier.seed(["https://a.example/", "https://b.example/", "https://y.example/own"], now=0)
    for claim in crawl.claim():
        targets = [to for to in texts if "b.example" not in claim.url or "x.example" not in to]
        judged = analysis(claim.url, dict.fromkeys(targets, 0.5))
        outlinks = tuple(
            replace(outlink, link=replace(outlink.link, anchor=texts[outlink.link.url])) for outlink in judged.outlinks
        )
        judged = replace(judged, outlinks=outlinks)
        crawl.store.commit([Visit(claim, Outcome.KEPT, 1.0, 200, analysis=judged)])
    crawl.database.close()
    assert names("harvest:tea", around=replace(AROUND, store_url=url)) == ["https://x.example/", "https://y.example/"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda *_: 403, "status 403"),
        (lambda *_: "<html>", "does not answer with JSON"),
        (lambda *_: [1, 2], ""),
        (lambda *_: {"results": [{"url": 5}, 7, None], "query": {"search": "x"}}, ""),
        (lambda *_: {"query": {"search": [{"pageid": [1]}], "pages": [{"extlinks": 3}]}}, ""),
        (lambda *_: {"query": {"search": [{"pageid": 1}], "pages": [{"pageid": 1, "extlinks": [{"url": 1}]}]}}, ""),
        (lambda *_: "[" * 100_000, "JSON"),
    ],
)
@pytest.mark.parametrize("kind", ["searxng", "mediawiki", "cdx"])
def test_broken_answers(kind: str, answer: Callable[..., object], why: str) -> None:
    """Nothing is proposed, or one sentence says why."""
    with server("127.0.0.1", speaks(answer)) as (port, _):
        source = f"{kind}:http://127.0.0.1:{port}/{'?url=x' * (kind == 'cdx')}"
        try:
            assert names(source) == []
        except SourceError as error:
            assert (why in str(error) and f"127.0.0.1:{port}" in str(error)) and why


def test_a_redirect_is_not_followed() -> None:
    with server("127.0.0.1", lambda _: (200, {}, b"{}")) as (hidden, asked_there):
        there = {"Location": f"http://127.0.0.1:{hidden}/"}
        with server("127.0.0.1", lambda _: (302, there, b"")) as (port, _), pytest.raises(SourceError, match="302"):
            names(f"searxng:http://127.0.0.1:{port}")
    assert asked_there == []


@pytest.mark.parametrize("sent", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_a_server_that_never_ends_has_its_time(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sends a little again and again, so that no wait for the next byte is long."""
    monkeypatch.setattr(sources, "TIMEOUT", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                while True:
                    connection.sendall(sent if sent.startswith(b"HTTP/1.1 100") else sent[:1])
                    time.sleep(0.02)

        Thread(target=drip, daemon=True).start()
        with pytest.raises(SourceError, match="timed out"):
            names(f"searxng:http://127.0.0.1:{listening.getsockname()[1]}")


def test_a_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sources.KEY, "geheim")
    assert sources.Asker("https://a.example/", "agent")._headers["Authorization"] == "Bearer geheim"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("", "NAME:PLACE"),
        ("searxng", "NAME:PLACE"),
        ("goggle:https://a.example", "names are searxng"),
        ("searxng:localhost:8080", "write http"),
        ("cdx:https://a.example/index", "add a pattern"),
        ("list:/nowhere/list.txt", "existing file"),
        ("opml:/nowhere/x", "existing file"),
        ("warc:/nowhere", "no WARC file"),
        ("harvest:tea", "nowhere.db"),
        ("searxng:http://user:geheim@127.0.0.1:9", "cannot be asked"),
        ("no.such.module:x", "cannot be imported"),
        ("json.dumps:x", "not a subclass"),
    ],
)
def test_sources_that_are_none(source: str, why: str) -> None:
    with pytest.raises(CrawlerError, match=why) as caught:
        names(source)
    assert "geheim" not in str(caught.value)


class Own(SeedSource):
    def proposals(self, words: str):  # type: ignore[no-untyped-def]
        number = 0
        while True:  # a source need not end
            number += 1
            yield Proposal(f"https://{'a' if number % 3 else f'h{number}'}.example/{number}#x")


def test_pages_of_several_sources_in_turn(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://z.example/\nhttps://a.example/1\nhttps://no.example/\n")
    sources = [seed_source(f"{__name__}.Own:x", AROUND), seed_source(f"list:{tmp_path / 'list.txt'}", AROUND)]
    found = named_by(sources, "渡口", 6, lambda url: "no.example" not in url)
    urls = [proposal.url for proposal in found]
    assert urls[:3] == ["https://a.example/1", "https://z.example/", "https://a.example/2"]
    assert len(urls) == len(set(urls)) == 6
    assert sum("//a.example" in url for url in urls) == 2


def test_the_names_are_told() -> None:
    assert set(SOURCES) == {"searxng", "mediawiki", "opml", "bookmarks", "feeds", "list", "cdx", "warc", "harvest"}
