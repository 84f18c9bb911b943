"""Where a page without links leads to."""

from __future__ import annotations

import pytest

from crawler.reader.html.links import links
from crawler.reader.html.page import Page, meta_refresh

URL = "http://a.example/"


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<script>window.location.href = '/index.aspx'</script>", ["/index.aspx"]),
        ("<script>top.location='/a'; location.replace(\"http://b.example/c\")</script>", ["/a", "http://b.example/c"]),
        ("<body onload=\"location.href='/b.html'\">", ["/b.html"]),
        ("<noscript><meta http-equiv=refresh content='0;url=/c'></noscript>", ["/c"]),
        ("<li onclick=\"go('/1.html')\">一</li><a href=\"javascript:show('/2.html')\">二</a>", ["/1.html", "/2.html"]),
        (
            "<a href='javascript:;' data-href='/3.html'>三</a><b data-href='4.php?id=4'>四",
            ["/3.html", "/4.php?id=4"],
        ),
        ("<a href='/own.html'>一</a><li onclick=\"go('/1.html')\">二</li>", ["/own.html"]),  # it has links
        ("<script src='/a.js'></script><a href='javascript:void(0)'>x</a>", []),
        ("<script>var names = ['/not/sent'];</script>", []),
    ],
)
def test_script_links(markup: str, found: list[str]) -> None:
    whole = [url if "//" in url else f"http://a.example{url}" for url in found]
    assert [link.url for link in links(Page(markup, URL))] == whole


def test_their_text_is_the_elements() -> None:
    [link] = links(Page("<li onclick=\"go('/1.html')\">随机<b>森林</b></li>", URL))
    assert link.anchor == "随机森林"


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("3;/real.html", "http://a.example/real.html"),
        ("0, real.html", "http://a.example/real.html"),
        ("0;url=/real.html", "http://a.example/real.html"),
        ("600;/real.html", None),  # it waits too long
        ("3", None),
    ],
)
def test_a_refresh_without_url(content: str, target: str | None) -> None:
    assert meta_refresh(f'<meta http-equiv="refresh" content="{content}">', URL) == target
