"""Search indexes, JSON Feed and WordPress's posts in the forms that generators and themes write."""

from __future__ import annotations

import json

import pytest

from crawler.discovery.index_files import Contents, Entry, Kind
from crawler.discovery.reader import read

NOW = 1_700_000_000.0
DAY = 1583280000.0  # 2020-03-04
A = "https://blog.example/a/"


def contents(value: object, address: str = "https://blog.example/index.json") -> Contents:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return read(text.encode("utf-8", "surrogatepass"), address, NOW)


POSTS_AND_PAGES = {
    "meta": {"title": "Blog", "url": "https://blog.example", "root": "/"},
    "pages": [{"title": "关于", "path": "about/index.html", "text": "我"}],
    "posts": [
        {
            "title": "A",
            "slug": "a",
            "date": "2020-03-04T00:00:00.000Z",
            "updated": "2020-03-04T00:00:01.000Z",
            "comments": True,
            "path": "a/",
            "link": "",
            "permalink": A,
            "excerpt": "",
            "text": "whole",
            "categories": [{"name": "算法", "slug": "x", "permalink": "https://blog.example/categories/x/"}],
            "tags": [{"name": "图论", "slug": "y", "permalink": "https://blog.example/tags/y/"}],
        }
    ],
    "tags": [{"name": "图论", "slug": "y", "title": "图论", "permalink": "https://blog.example/tags/y/"}],
}
JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Blog",
    "home_page_url": "https://blog.example/",
    "next_url": "https://blog.example/feed-2.json",
    "items": [
        {
            "id": "1",
            "url": A,
            "title": "A",
            "content_html": "<p>whole</p>",
            "summary": "short",
            "date_published": "2020-03-04T00:00:00Z",
            "tags": ["图论"],
        }
    ],
}
WORDPRESS = [
    {
        "id": 7,
        "date": "2020-03-04T08:00:00",
        "date_gmt": "2020-03-04T00:00:00",
        "modified_gmt": "2020-03-04T00:00:01",
        "guid": {"rendered": "https://blog.example/?p=7"},
        "link": A,
        "title": {"rendered": "A &#8211; B"},
        "content": {"rendered": "<p>whole</p>", "protected": False},
        "excerpt": {"rendered": "<p>short</p>"},
        "categories": [3],
        "_embedded": {
            "wp:term": [[{"id": 3, "link": "https://blog.example/category/x/", "name": "算法"}]],
            "author": [{"name": "someone", "url": "/author/someone/", "description": "myself"}],
        },
    }
]
LUNR = {
    "index": {"fields": [{"name": "title", "boost": 10}], "store": {"root": {"a": {"b": {"docs": {"./": {"tf": 1}}}}}}},
    "store": {"a.html": {"url": "./a.html", "title": "A", "keywords": "", "body": "whole"}},
}

FORMS = [
    (
        POSTS_AND_PAGES,
        Kind.SEARCH_INDEX,
        [
            Entry("https://blog.example/about/index.html", "关于", "我", True),
            Entry(A, "A", "whole", True, ("算法", "图论"), DAY + 1, DAY),
        ],
    ),
    (
        [{"title": "A", "url": "/a/", "content": "whole", "categories": ["算法"], "tags": ["图论", "树"]}],
        Kind.SEARCH_INDEX,
        [Entry(A, "A", "whole", True, ("算法", "图论", "树"))],
    ),
    (
        [{"uri": A, "title": "A", "contents": "whole", "tags": None, "date": "2020-03-04"}],
        Kind.SEARCH_INDEX,
        [Entry(A, "A", "whole", True, published=DAY)],
    ),
    (
        [{"permalink": A, "title": "A", "summary": "short", "content": ""}],
        Kind.SEARCH_INDEX,
        [Entry(A, "A", "short")],
    ),
    (
        [{"title": "A", "category": "算法", "tags": "图论, 树", "url": "/a/", "date": "2020-03-04 00:00:00 +0000"}],
        Kind.SEARCH_INDEX,
        [Entry(A, "A", subjects=("算法", "图论", "树"), published=DAY)],
    ),
    (
        {"config": {"lang": ["en"]}, "docs": [{"location": "a/", "title": "A", "text": "whole"}]},
        Kind.SEARCH_INDEX,
        [Entry(A, "A", "whole", True)],
    ),
    (LUNR, Kind.SEARCH_INDEX, [Entry("https://blog.example/a.html", "A", "whole", True)]),
    (
        {"documentStore": {"docs": {A: {"id": A, "title": "A", "body": "x"}}}},
        Kind.SEARCH_INDEX,
        [Entry(A, "A", "x", True)],
    ),
    (JSON_FEED, Kind.FEED, [Entry(A, "A", "whole", True, ("图论",), None, DAY)]),
    (WORDPRESS, Kind.WORDPRESS, [Entry(A, "A – B", "whole", True, (), DAY + 1, DAY)]),
    ('{"title": "A", "url": "/a/"}\n', None, []),  # one page's own data
    ('[{"name": "图论", "path": "tags/y.json", "count": 3}]', None, []),
    ('[{"title": "A", "url": "/a.json"}]', None, []),
    ('{"images": ["https://blog.example/a.jpg"]}', None, []),
    ('{"code": "rest_no_route", "message": "No route was found", "data": {"status": 404}}', None, []),
]


@pytest.mark.parametrize(("value", "kind", "expected"), FORMS)
def test_forms(value: object, kind: Kind | None, expected: list[Entry]) -> None:
    found = contents(value)
    assert found.kind is kind
    assert list(found.entries) == expected
    assert bool(found.reason) == (kind is None)


@pytest.mark.parametrize(
    ("text", "titles", "reason"),
    [
        ('[{"title": "A", "url": "/a/"}, {"title": "B", "ur', ["A"], "incomplete or damaged JSON"),
        ('[{"title": "A", "url": "/a/"},]', ["A"], "incomplete or damaged JSON"),
        ('[{"title": "A\nB\tC\x08", "url": "/a/"}]', ["A B C"], ""),
        ('[{"title": "half \\ud83d", "url": "/a/"}]', ["half ?"], ""),
        ('[{"title": NaN, "url": "/a/"}]', [], "incomplete or damaged JSON"),
        ('[{"title": 7, "url": "/a/", "id": 1e99}]', ["7"], ""),
        ('{"title": "A", "url": "/a/"}\n[{"title": "B", "url": "/b/"}]', ["B"], ""),
        ("[" * 100 + '{"title": "A", "url": "/a/"}' + "]" * 100 + '[{"title": "B", "url": "/b/"}]', ["B"], ""),
        ("{", [], "incomplete or damaged JSON"),
        ("[]", [], "no pages"),
    ],
)
def test_malformed(text: str, titles: list[str], reason: str) -> None:
    found = contents(text)
    assert [entry.title for entry in found.entries] == titles
    assert reason in str(found.reason) if reason else not found.reason


@pytest.mark.parametrize(
    ("query", "posts", "following"),
    [
        ("?per_page=2", 2, "?per_page=2&page=2"),
        ("?per_page=2&page=4", 2, "?per_page=2&page=5"),
        ("?per_page=2", 1, None),
        ("", 10, "?page=2"),
        ("", 9, None),
        ("?per_page=x&page=y", 10, "?per_page=x&page=2"),
    ],
)
def test_a_full_page_of_posts_is_followed_by_another(query: str, posts: int, following: str | None) -> None:
    address = "https://blog.example/wp-json/wp/v2/posts"
    value = [{**WORDPRESS[0], "link": f"https://blog.example/{number}/"} for number in range(posts)]
    index_files = contents(value, address + query).index_files
    assert [index_file.url for index_file in index_files] == ([address + following] if following else [])
    assert all(index_file.kind is Kind.WORDPRESS for index_file in index_files)


def test_the_next_page_of_a_feed() -> None:
    assert [index_file.url for index_file in contents(JSON_FEED).index_files] == ["https://blog.example/feed-2.json"]
