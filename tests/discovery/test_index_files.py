"""Entries as links, and index files that name another host than their own."""

from __future__ import annotations

import pytest

from crawler.discovery.index_files import Contents, Entry, FoundBy, IndexFile, Kind, as_link, at_own_host
from crawler.records import Link


def test_an_entry_is_a_link() -> None:
    entry = Entry("https://a.example/x/", "图论入门", "最短路", subjects=("图论",), updated=20.0, published=10.0)
    assert as_link(entry, Kind.SEARCH_INDEX, 1 / 3) == Link(
        "https://a.example/x/",
        "图论入门",
        around="最短路",
        tag_path="search-index",
        position=0.3333,
        subjects=("图论",),
        updated=20.0,
    )


def test_the_time_of_publication_stands_for_that_of_the_last_change() -> None:
    assert as_link(Entry("https://a.example/x/", published=10.0), Kind.FEED).updated == 10.0
    assert as_link(Entry("https://a.example/x/"), Kind.FEED).updated is None


@pytest.mark.parametrize(
    ("interval", "hours", "hour", "rests"),
    [
        (None, (), 0.0, None),
        (3600.0, (), 0.5, 1.5),
        (1e300, (), 0.0, 24.0),
        (None, (0, 1), 0.5, 2.0),
        (3600.0, (2,), 1.5, 3.0),
        (None, (1,), 0.5, None),
        (None, tuple(range(24)), 0.0, 24.0),  # at some time it must be read
    ],
)
def test_until_when_a_feed_asks_not_to_be_read(
    interval: float | None, hours: tuple[int, ...], hour: float, rests: float | None
) -> None:
    now = 1000 * 86_400.0
    until = Contents(Kind.FEED, interval=interval, skip_hours=hours).rests_until(now + hour * 3600)
    assert until == (None if rests is None else now + rests * 3600)


def test_navigation_by_its_words() -> None:
    assert as_link(Entry("https://a.example/about/", "关于我"), Kind.SEARCH_INDEX).noise


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        (["https://old.example/x?y=1", "https://old.example/"], ["http://me.example/x?y=1", "http://me.example/"]),
        (["https://old.example/x", "https://me.example/"], ["https://old.example/x", "http://me.example/"]),
        (["https://me.example/x", "https://me.example/y"], ["http://me.example/x", "http://me.example/y"]),
        (["https://old.example/x", "https://older.example/"], ["https://old.example/x", "https://older.example/"]),
        ([], []),
    ],
)
def test_at_own_host(urls: list[str], expected: list[str]) -> None:
    contents = Contents(Kind.SITEMAP, tuple(map(Entry, urls)))
    assert [entry.url for entry in at_own_host(contents, "http://me.example/sitemap.xml").entries] == expected


def test_further_index_files_at_own_host() -> None:
    contents = Contents(
        Kind.SITEMAP, index_files=(IndexFile("http://old.example/sitemap-1.xml", Kind.SITEMAP, FoundBy.INDEX_FILE),)
    )
    (index_file,) = at_own_host(contents, "https://me.example:8080/sitemap.xml").index_files
    assert index_file.url == "https://me.example:8080/sitemap-1.xml"
