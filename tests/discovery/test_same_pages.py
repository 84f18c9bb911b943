"""What changes nothing in the addresses of a host, and what names pages."""

from __future__ import annotations

import pytest

from crawler.discovery.site_aliases import SHORTEST, SamePages

A = "http://a.example"


def text(name: str) -> str:
    return name * SHORTEST


def twins(*forms: str) -> list[tuple[str, str]]:
    return [(form % post, post) for post in "12" for form in forms]


SESSION = [(f"{A}/p?id={post}&s={visit}", str(post)) for visit in "xyz" for post in (1, 2)]
ENDINGS = [(f"{A}/{post}{end}", str(post)) for end in ("", ".html") for post in (1, 2)]
BARE = [(f"{A}/p{mark}", mark[:3]) for mark in ("?a=1", "?b=1", "?a=1&from=x", "?b=1&from=x")]
FIRST = [(f"{A}/{post}{query}", str(post)) for query in ("", "?page=1") for post in (1, 2)]
USERS = [(f"{A}/~a/{post}{end}", str(post)) for end in ("", ".html") for post in (1, 2)]
NOTICE = [(f"{A}/p?id={post}", "notice") for post in range(5)]


@pytest.mark.parametrize(
    ("seen", "url", "now"),
    [
        (SESSION, f"{A}/p?id=3&s=new", f"{A}/p?id=3"),
        (SESSION, f"{A}/q?s=new", f"{A}/q"),
        (SESSION, "http://b.example/p?id=3&s=new", "http://b.example/p?id=3&s=new"),  # another host
        (SESSION[:3], f"{A}/p?id=3&s=new", f"{A}/p?id=3&s=new"),  # one text is not enough
        ([*SESSION, (f"{A}/p?id=1&s=other", "9")], f"{A}/p?id=3&s=new", f"{A}/p?id=3&s=new"),  # it names pages
        (ENDINGS, f"{A}/3.html", f"{A}/3"),
        (ENDINGS, f"{A}/3/", f"{A}/3/"),  # another ending
        (BARE, f"{A}/p?c=1&from=x", f"{A}/p?c=1"),
        (BARE, f"{A}/p?c=1&from=y", f"{A}/p?c=1&from=y"),  # another value: `page=1` is the thread, `page=2` is not
        (BARE, f"{A}/u/p?c=1&from=x", f"{A}/u/p?c=1&from=x"),  # another folder
        (FIRST, f"{A}/3?page=1", f"{A}/3"),
        (FIRST, f"{A}/3?page=2", f"{A}/3?page=2"),
        ([*FIRST, (f"{A}/2?page=7", "2"), (f"{A}/2?page=9", "2")], f"{A}/3?page=2", f"{A}/3?page=2"),  # numbers count
        (USERS, f"{A}/~b/3.html", f"{A}/~b/3.html"),  # a neighbour's pages
        (USERS, f"{A}/~a/3.html", f"{A}/~a/3"),
        ([*USERS, (f"{A}/~a/4", "4"), (f"{A}/~a/4.html", "5")], f"{A}/~a/3.html", f"{A}/~a/3.html"),
        (twins(f"{A}/2024/05/01/%s/", f"{A}/2024/05/01/%s"), f"{A}/2025/1/9/x/", f"{A}/2025/1/9/x"),
        (twins("http://www.a.example/%s", f"{A}/%s"), "http://www.a.example/3", f"{A}/3"),
        (twins(f"{A}/%s", "http://www.a.example/%s"), "http://www.a.example/3", f"{A}/3"),
        (twins(f"{A}/%s", "https://a.example/%s"), f"{A}/3", "https://a.example/3"),
        (twins("http://m.a.example/%s", "http://www.a.example/%s"), "http://www.a.example/3", "http://m.a.example/3"),
        (twins(f"{A}/p/%s/amp/", f"{A}/p/%s"), f"{A}/p/3/amp/", f"{A}/p/3"),
        (twins(f"{A}/print/%s", f"{A}/%s"), f"{A}/print/3", f"{A}/3"),
        (twins(f"{A}/index.php/p/%s", f"{A}/p/%s"), f"{A}/index.php/p/3", f"{A}/p/3"),
        (twins(f"{A}/zh-hans/%s", f"{A}/zh-hant/%s"), f"{A}/zh-hant/3", f"{A}/zh-hans/3"),
        (twins("http://b.example/%s", f"{A}/%s"), f"{A}/3", f"{A}/3"),  # a copy on another host
        (NOTICE, f"{A}/p?id=9", f"{A}/p?id=9"),  # one text everywhere is a notice of the site
        ([(url, "") for url, _ in SESSION], f"{A}/p?id=3&s=new", f"{A}/p?id=3&s=new"),
        ([], f"{A}/", f"{A}/"),
    ],
)
def test_parts_of_addresses(seen: list[tuple[str, str]], url: str, now: str) -> None:
    pages = SamePages()
    for address, name in seen:
        pages.saw(address, text(name) if name else "")
    assert pages.now(url) == now
    assert pages.now(now) == now
