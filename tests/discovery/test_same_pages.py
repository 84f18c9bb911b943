"""What changes nothing in the addresses of a host, and what names pages."""

from __future__ import annotations

import pytest

from crawler.discovery.site_aliases import SHORTEST, SamePages

A = "http://a.example"


def text(name: str) -> str:
    return name * SHORTEST


SESSION = [(f"{A}/p?id={post}&s={visit}", str(post)) for visit in "xyz" for post in (1, 2)]
ENDINGS = [(f"{A}/{post}{end}", str(post)) for end in ("", ".html") for post in (1, 2)]
BARE = [(f"{A}/p{mark}", mark[:3]) for mark in ("?a=1", "?b=1", "?a=1&from=x", "?b=1&from=x")]
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
        (BARE, f"{A}/p?c=1&from=y", f"{A}/p?c=1"),
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
