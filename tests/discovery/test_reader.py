"""Bytes to contents: what a file is whatever it is called, and files that are meant to do harm."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from crawler.discovery.index_files import Kind
from crawler.discovery.reader import read
from lab.benchmarks.hostile.files import INDEX_FILES
from tests.conftest import ROOT

NOW = 1_700_000_000.0
HOME = "https://blog.example/sitemap.xml"
SITEMAP = "<urlset><url><loc>https://blog.example/图/</loc></url><url><loc>/b/</loc></url></urlset>"
FEED = "<rss><channel><item><title>图论与最短路的算法</title><link>/a/</link></item></channel></rss>"
LONG = FEED.replace("最短路", "这是一个关于我们的算法在他们的网站上的文章" * 3)


def xml(encoding: str, declared: str, text: str = LONG) -> bytes:
    return f'<?xml version="1.0" encoding="{declared}"?>{text}'.encode(encoding)


@pytest.mark.parametrize(
    ("body", "kind", "entries", "reason"),
    [
        (SITEMAP.encode(), Kind.SITEMAP, 2, ""),
        (b"\n\n  " + SITEMAP.encode(), Kind.SITEMAP, 2, ""),
        (gzip.compress(SITEMAP.encode(), mtime=0), Kind.SITEMAP, 2, ""),
        (
            gzip.compress(SITEMAP.encode()[:50], mtime=0) + gzip.compress(SITEMAP.encode()[50:], mtime=0),
            Kind.SITEMAP,
            2,
            "",
        ),
        (b"https://blog.example/a/\r\nhttps://blog.example/b/\n\nnote\n", Kind.SITEMAP, 2, ""),
        ("\ufeffhttps://blog.example/图/".encode(), Kind.SITEMAP, 1, ""),
        (b'<!DOCTYPE rss [<!ENTITY a "b">]>' + FEED.encode(), Kind.FEED, 1, ""),
        (b'[{"title": "a", "url": "/a/"}]', Kind.SEARCH_INDEX, 1, ""),
        (b"", None, 0, "it is empty"),
        (b" \n ", None, 0, "it is empty"),
        (b"<!DOCTYPE html><html><title>404</title></html>", None, 0, "it is an HTML page"),
        (b"<!-- x --><HTML lang=en><body><search>", None, 0, "it is an HTML page"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x"><html>', None, 0, "it is an HTML page"),
        (b"Not Found", None, 0, "it is not a sitemap, feed or search index"),
        (b"<svg></svg>", None, 0, "it is not a sitemap, feed or search index"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", None, 0, "it is a binary file"),
        (gzip.compress(b"\0" * 1000, mtime=0), None, 0, "it is a binary file"),
        (gzip.compress(SITEMAP.encode(), mtime=0)[:-20], Kind.SITEMAP, None, "its gzip data is incomplete"),
        (b"\x1f\x8bnonsense", None, 0, "its gzip data is damaged; it is empty"),
    ],
)
def test_what_it_is(body: bytes, kind: Kind | None, entries: int | None, reason: str) -> None:
    found = read(body, HOME, NOW)
    assert found.kind is kind
    assert entries is None or len(found.entries) == entries
    assert str(found.reason).startswith(reason) if reason else not found.reason


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (xml("utf-8", "utf-8"), None),
        (xml("utf-8", "gb2312"), None),  # declared wrongly
        (xml("utf-8", "no-such-charset"), "utf-16"),
        (xml("gb18030", "gb2312"), None),
        (xml("gb18030", "utf-8"), None),
        (xml("gb18030", "utf-8"), "utf-8"),
        (xml("gb18030", "utf-8"), "gbk"),
        (xml("utf-16", "utf-16"), None),
        (xml("utf-8-sig", "utf-8"), None),
    ],
)
def test_charset(body: bytes, charset: str | None) -> None:
    (entry,) = read(body, HOME, NOW, charset).entries
    assert entry.title.startswith("图论")


def test_entries_of_other_hosts_and_schemes() -> None:
    body = b"https://other.example/a/\nhttp://blog.example/b/\nftp://blog.example/c/\nhttps://blog.example/d.zip"
    found = read(body, HOME, NOW)
    assert [entry.url for entry in found.entries] == ["https://other.example/a/", "http://blog.example/b/"]


def test_sitemap_indexes_in_a_circle_name_each_other_by_one_address() -> None:
    first, second = "https://blog.example/1.xml", "https://blog.example/2.xml"
    for here, there in [(first, second), (second, first)]:
        body = (
            f"<sitemapindex><sitemap><loc>{there}#x</loc></sitemap><sitemap><loc>{here}</loc></sitemap></sitemapindex>"
        )
        assert [index_file.url for index_file in read(body.encode(), here, NOW).index_files] == [there]


def test_entities_are_never_expanded() -> None:
    lines = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    body = f'<!DOCTYPE rss [<!ENTITY a0 "lol">{lines}<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    body += "<rss><item><title>x &a9; &f; y</title><link>/1</link></item></rss>"
    (entry,) = read(body.encode(), HOME, NOW).entries
    assert entry.title == "x &a9; &f; y"


MEGABYTES = 100  # beside the body


@pytest.mark.parametrize("name", INDEX_FILES)
def test_bombs(tmp_path: Path, name: str) -> None:
    """In a process of its own, because the memory of lxml and ijson is not Python's to count."""
    make, reason = INDEX_FILES[name]
    body = make()
    (tmp_path / "index-file").write_bytes(body)
    child = subprocess.run(
        [sys.executable, "-m", "lab.benchmarks.hostile.files", "index-file", str(tmp_path / "index-file")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    said, more = json.loads(child.stdout)
    assert said.startswith(reason)
    assert more - len(body) // 2**20 < MEGABYTES


@pytest.mark.parametrize("body", [SITEMAP.encode(), b'[{"title": "a", "url": "/a/"}]', b"https://blog.example/a/"])
def test_reading_ends_in_time(monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    monkeypatch.setattr("crawler.discovery.entries.MAX_SECONDS", -1.0)
    assert str(read(body, HOME, NOW).reason).startswith("reading it takes more than -1 seconds")


def test_what_was_read_before_a_limit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.discovery.entries.MAX_ENTRIES", 1)
    for body in (SITEMAP.encode(), b"https://a.example/1\nhttps://a.example/2"):
        found = read(body, HOME, NOW)
        assert (len(found.entries), str(found.reason)) == (1, "it lists more than 1 pages")
    monkeypatch.setattr("crawler.discovery.entries.MAX_INDEX_FILES", 1)
    body = b"<sitemapindex><sitemap><loc>/1.xml</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>"
    assert len(read(body, HOME, NOW).index_files) == 1


@given(st.binary(max_size=300), st.sampled_from([None, "gbk", "utf-16", "nonsense"]))
def test_any_bytes(body: bytes, charset: str | None) -> None:
    read(body, HOME, NOW, charset)


WORDS = """
    <rss> </rss> <feed> <urlset> <search> <item> </item> <entry> </entry> <url> </url> <title> </title> <link> </link>
    <![CDATA[ ]]> <!-- --> <?xml ?> & &amp; &#8; &lt; < > <a <rdf:RDF xmlns= <loc> </loc> http:// /x/ 2020-01-01 \x08 图
    " ' href= term=" { } [ ] : , "title" "url" "/a/" "tags" "name" "rendered" null 1e9 -1 "\\ud83d" "version" <!DOCTYPE
"""
STARTS = ["<rss>", "<urlset>", "<search>", "[", "{", ""]


@given(st.lists(st.sampled_from(WORDS.split()), max_size=40), st.sampled_from(STARTS))
def test_any_pieces_of_index_files(pieces: list[str], start: str) -> None:
    body = (start + " ".join(pieces)).encode()
    assert read(body, HOME, NOW) == read(body, HOME, NOW)
    read(gzip.compress(body, mtime=0)[: len(pieces) * 5], HOME, NOW)


BEGIN = b"<urlset><url><loc>http://a.example/1</loc></url><url><loc>http://a.example/2"
LIST = b"http://a.example/1\nhttp://a.example/2"
ATOM = b'<feed><entry><title>a</title><link href="http://a.example/1"/></entry><entry>'


@pytest.mark.parametrize(
    "content",
    [
        BEGIN,
        gzip.compress(BEGIN, mtime=0)[:-9],
        gzip.compress(LIST, mtime=0)[:-9],
        ATOM + b"<id>http://a.example/2",
        ATOM + b'<link href="http://a.example/2',
        b"<rss><channel><item><link>http://a.example/1</link><guid>http://a.example/2",
        b'{"items":[{"url":"http://a.example/1","title":"a"},{"title":"b","url":"http://a.example/2',
    ],
)
def test_half_of_an_address_is_none(content: bytes) -> None:
    contents = read(content, "http://a.example/index", 0.0)
    assert [entry.url for entry in contents.entries] == ["http://a.example/1"]
    assert contents.reason
