"""Where index files are declared, and where they are looked for."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from crawler.discovery.index_files import FoundBy, Kind
from crawler.discovery.locations import (
    declared_in_page,
    declared_in_robots,
    following,
    kind_by_name,
    site_root,
    usual_places,
)
from crawler.reader.html.tree import parse

SITE = "https://user.example/blog/post/1/"


def declared(markup: str, url: str = SITE) -> list[tuple[str, Kind, FoundBy]]:
    return [(index_file.url, index_file.kind, index_file.found) for index_file in declared_in_page(parse(markup), url)]


@pytest.mark.parametrize(
    ("address", "listed", "onward"),
    [
        ("http://a.example/l?page=2", 3, "http://a.example/l?page=3"),
        ("http://a.example/l?offset=20&n=9", 10, "http://a.example/l?offset=30&n=9"),
        ("http://a.example/page/9/", 1, "http://a.example/page/10/"),
        ("http://a.example/l?page=2", 0, ""),
        ("http://a.example/l", 3, ""),
    ],
)
def test_what_a_list_loads_next(address: str, listed: int, onward: str) -> None:
    found = following(address, listed)
    assert (found.url if found else "") == onward


def test_robots() -> None:
    text = (
        "\ufeff# x\nUser-agent: *\nDisallow: /x\nSITEMAP : https://user.example/a.xml\nsitemap: /b.xml.gz # note\n"
        "Sitemap: https://other.example/c.xml\nSitemap: https://user.example/a.xml\nSitemap:\nSitemap: ftp://x/\n"
    )
    index_files = declared_in_robots(text, "https://user.example/robots.txt")
    assert [index_file.url for index_file in index_files] == [
        "https://user.example/a.xml",
        "https://user.example/b.xml.gz",
        "https://other.example/c.xml",
    ]
    assert {(index_file.kind, index_file.found) for index_file in index_files} == {(Kind.SITEMAP, FoundBy.ROBOTS)}


PAGE, SCRIPT = FoundBy.PAGE, FoundBy.SCRIPT


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<link rel="alternate" type="application/rss+xml" href="/x">', [("/x", Kind.FEED, PAGE)]),
        ("<link rel=alternate type=application/atom+xml href=../../atom.xml>", [("/blog/atom.xml", Kind.FEED, PAGE)]),
        ('<link rel="alternate" type="application/rss+xml+xml" href="/i.xml">', [("/i.xml", Kind.FEED, PAGE)]),
        ('<link rel="Alternate" href="/atom.xml" title="Blog">', [("/atom.xml", Kind.FEED, PAGE)]),
        ('<link rel="alternate" type="application/feed+json" href="/f">', [("/f", Kind.FEED, PAGE)]),
        (
            '<link rel="alternate" type="application/json" href="/index.json">',
            [("/index.json", Kind.SEARCH_INDEX, PAGE)],
        ),
        ('<link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts/7">', []),
        ('<link rel="alternate" type="application/json+oembed" href="/oembed/x">', []),
        ('<link rel="alternate" hreflang="en" href="/en/">', []),
        ('<link rel="alternate" type="application/rss+xml" href="/comments/feed/">', []),
        ('<link rel="alternate" type="application/rss+xml" title="一篇的评论" href="/a/feed/">', []),
        ('<link rel="alternate" type="application/rss+xml" href="">', []),
        ('<button class=more data-url="/api/posts?page=2">', [("/api/posts?page=2", Kind.MORE, PAGE)]),
        ('<div data-next="/list/page/2">', [("/list/page/2", Kind.MORE, PAGE)]),
        ('<li class=more data-menu="/public/page/0_0_WG.html">', []),
        ('<a hx-get="/l?offset=20" href=#>加载更多</a>', [("/l?offset=20", Kind.MORE, PAGE)]),
        ('<button dataurl="/l?start=36&amp;sz=36">Show more', [("/l?start=36&sz=36", Kind.MORE, PAGE)]),
        (
            "<form action=/l?a=1><input type=hidden name=page value=2><button>Load more</button></form>",
            [("/l?page=2", Kind.MORE, PAGE)],
        ),
        ("<form method=post action=/l><input name=page value=2><button>Load more</button></form>", []),
        ("<form action=/search><input name=page value=2><button>Go</button></form>", []),
        ('<ul id=infinite data-src="l?b=1&amp;pn=2">', [("/blog/post/1/l?b=1&pn=2", Kind.MORE, PAGE)]),
        ("<div data-page=2 class=more>", []),
        ('<button data-url="/api/posts?page=2">删除</button>', []),
        ('<button class=more data-url="//other.example/l?page=2">', []),
        ("<script>function loadMore(){fetch('/api/l?page=' + n)}</script>", [("/api/l?page=2", Kind.MORE, SCRIPT)]),
        ("<script>onscroll=()=>get(`/l?a=1&p=${n}&x`)</script>", [("/l?a=1&p=2", Kind.MORE, SCRIPT)]),
        ("<script>fetch('/track?page=' + n)</script>", []),
        ('<link rel="sitemap" href="/sitemap-index.xml">', [("/sitemap-index.xml", Kind.SITEMAP, PAGE)]),
        (
            '<link rel="search" type="application/opensearchdescription+xml" href="/os.xml">',
            [("/os.xml", Kind.OPENSEARCH, PAGE)],
        ),
        (
            "<link rel='https://api.w.org/' href='https://user.example/wp-json/' />",
            [("/wp-json/wp/v2/posts?per_page=100", Kind.WORDPRESS, PAGE)],
        ),
        (
            "<link rel='https://api.w.org/' href='/?rest_route=/' />",
            [("/?rest_route=/wp/v2/posts&per_page=100", Kind.WORDPRESS, PAGE)],
        ),
        ('<a href="/atom.xml">RSS</a>', [("/atom.xml", Kind.FEED, PAGE)]),
        ('<a href="/blog/feed/">RSS</a>', [("/blog/feed/", Kind.FEED, PAGE)]),
        ('<a href="/sitemap.xml">map</a>', [("/sitemap.xml", Kind.SITEMAP, PAGE)]),
        ('<a href="https://other.example/atom.xml">theirs</a><a href="/tags/rss/">rss</a><a href="/a.json">x</a>', []),
        ('<script>CONFIG = {"root":"/","path":"/search.xml"}</script>', [("/search.xml", Kind.SEARCH_INDEX, SCRIPT)]),
        (
            '<script>CONFIG = {"root":"/blog/","path":"search.xml"}</script>',
            [("/blog/search.xml", Kind.SEARCH_INDEX, SCRIPT)],
        ),
        ('<script>var search_path = "search.xml";</script>', [("/search.xml", Kind.SEARCH_INDEX, SCRIPT)]),
        (
            "<script>window.INSIGHT = { ROOT_URL: '\\/blog\\/', CONTENT_URL: '\\/blog\\/content.json' }</script>",
            [("/blog/content.json", Kind.SEARCH_INDEX, SCRIPT)],
        ),
        (
            "<script>loadInsight({contentUrl:`/content.json?v=1`})</script>",
            [("/content.json", Kind.SEARCH_INDEX, SCRIPT)],
        ),
        ('<script>f("local-search.xml")</script>', [("/local-search.xml", Kind.SEARCH_INDEX, SCRIPT)]),
        ('<script>{"lunrIndexURL":"/index.json"}</script>', [("/index.json", Kind.SEARCH_INDEX, SCRIPT)]),
        ("<script>a='/live2d/model.json', b='/manifest.json', c='research.html'</script>", []),
        ('<script>f("/search.xml"); g("/search.xml")</script>', [("/search.xml", Kind.SEARCH_INDEX, SCRIPT)]),
    ],
)
def test_pages(markup: str, expected: list[tuple[str, Kind, FoundBy]]) -> None:
    assert declared(f"<html><head></head><body>{markup}") == [
        (f"https://user.example{path}", kind, found) for path, kind, found in expected
    ]


def test_a_page_declares_no_more_than_allowed() -> None:
    assert len(declared("".join(f'<link rel="sitemap" href="/{n}.xml">' for n in range(500)))) == 50


@pytest.mark.parametrize(
    ("markup", "root"),
    [
        ("", "https://user.example/"),
        ("<script>x = {root: '/blog/'}</script>", "https://user.example/blog/"),
        ('<script>{"rootUrl": "https:\\/\\/user.example\\/blog"}</script>', "https://user.example/blog/"),
        ("<script>x = {root: '/other/'}</script>", "https://user.example/"),  # not above the page
        ("<script>x = {root: 'https://other.example/'}</script>", "https://user.example/"),
        ("<script>x = {rootMargin: '0px', root: ''}</script>", "https://user.example/"),
        ('<a class="brand" rel="home" href="/blog">Blog</a>', "https://user.example/blog/"),
    ],
)
def test_site_root(markup: str, root: str) -> None:
    assert site_root(parse(f"<body>{markup}"), SITE) == root


def test_usual_places() -> None:
    index_files = usual_places("https://user.example/blog/")
    assert {index_file.found for index_file in index_files} == {FoundBy.GUESS}
    assert index_files[0].url == "https://user.example/blog/sitemap.xml"
    for index_file in index_files:
        assert kind_by_name(index_file.url) in (index_file.kind, None)
    assert len({index_file.url for index_file in index_files}) == len(index_files)


@given(st.text(max_size=200))
def test_any_robots(text: str) -> None:
    declared_in_robots(text, "https://user.example/robots.txt")


WORDS = """
    <script> </script> " / search .xml .json root : = ' \\/ <a href= <link rel= alternate home sitemap > http://[ https:
    href= content feed
"""


@given(st.lists(st.sampled_from([*WORDS.split(), " "]), max_size=60).map("".join))
def test_any_page(markup: str) -> None:
    declared(markup)
    site_root(parse(markup), SITE)
