"""What the index of a web archive is asked about a host, and what is believed of its answer."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from crawler.discovery.archive_index import about, read_answer
from crawler.discovery.finder import KINDS, IndexFileFinder
from crawler.records import Analysis, Judgement, Link, Outlink

INDEX = "https://index.example/2026-index"
GOOD = Analysis(judgement=Judgement(1.0, True))


def question(index: str = INDEX, url: str = "https://a.example/post/1") -> str:
    asked = about(index, url)
    assert asked is not None
    return asked.url


def line(url: str, status: str = "200", mime: str = "text/html") -> str:
    return json.dumps({"url": url, "status": status, "mime": mime})


def listed(*lines: str, of: str = "https://a.example/") -> list[str]:
    return [entry.url for entry in read_answer("\n".join(lines).encode(), question(url=of)).entries]


@pytest.mark.parametrize(
    ("index", "limit", "more"),
    [(INDEX, "5000", {}), (f"{INDEX}?limit=9&from=2024", "9", {"from": ["2024"]})],
)
def test_the_question(index: str, limit: str, more: dict[str, list[str]]) -> None:
    asked = parse_qs(urlsplit(question(index)).query)
    assert asked == {"url": ["https://a.example/*"], "output": ["json"], "limit": [limit], **more}


def test_pages_of_the_host_at_the_scheme_of_its_pages() -> None:
    old = [line("http://a.example/1"), f"com,example)/2 2024 {line('http://www.a.example/2')}"]
    assert listed(*old) == ["https://a.example/1", "https://a.example/2"]
    assert listed(*old, of="http://a.example:8080/") == ["http://a.example:8080/1", "http://a.example:8080/2"]
    rows = [["original", "statuscode", "mimetype"], ["http://a.example/1", "200", "text/html"]]
    assert listed(json.dumps(rows)) == ["https://a.example/1"]


@pytest.mark.parametrize(
    "other",
    [
        line("https://b.example/1"),
        line("https://sub.a.example/1"),
        line("http://127.0.0.1/1"),
        line("ftp://a.example/1"),
        line("https://a.example/1", "404"),
        line("https://a.example/1", "301"),
        line("https://a.example/1", "-"),
        line("https://a.example/1", mime="image/png"),
        line("https://a.example/1.png"),
        line("https://a.example/1") + "\n" + line("https://a.example/1", "404"),  # the last capture counts
        '{"url": ["https://a.example/1"]}',
        "{" * 100_000,
        "[" * 100_000,
        "[[], 1, null]",
        "[]",
        "<html><p>Too many requests",
        "\0",
        "",
    ],
)
def test_what_is_no_page_of_the_host(other: str) -> None:
    assert listed(other, line("https://a.example/last")) in (["https://a.example/last"], [])
    found = read_answer(other.encode(), question())
    assert (found.kind, found.entries, str(found.reason)) == (None, (), "it lists no pages")


def test_a_page_that_was_found_again_is_there() -> None:
    page = "https://a.example/1"
    assert listed(line(page, "404"), line(page), line(page, "-", "warc/revisit")) == [page]


def test_an_answer_to_another_question() -> None:
    assert read_answer(line("https://a.example/1").encode(), "https://elsewhere.example/").entries == ()


def asked(finder: IndexFileFinder, pages: int, found: Analysis = GOOD) -> list[str]:
    """What is opened after each of some pages of a.example."""
    admitted = [finder.admit(f"https://a.example/{n}", found) for n in range(pages)]
    return [outlink.link.index_kind for one in admitted for outlink in one.outlinks]


def test_a_good_host_is_asked_about_once() -> None:
    finder = IndexFileFinder(KINDS)
    assert asked(finder, 9) == [], "only where the user names an index"
    finder = IndexFileFinder(KINDS)
    finder.asking.index = INDEX
    assert asked(finder, 9, Analysis()) == []
    assert asked(finder, 2) == []
    assert asked(finder, 9) == ["cdx"]
    assert asked(finder, 9) == []


def test_a_host_that_lists_all_its_pages_is_not_asked_about() -> None:
    finder = IndexFileFinder(KINDS)
    finder.asking.index = INDEX
    page = Analysis(outlinks=(Outlink(Link("https://a.example/p")),))
    finder.listed("https://a.example/sitemap.xml", page, "sitemap")
    assert asked(finder, 9) == []
    assert finder.listed(question(), page, "cdx") == page
