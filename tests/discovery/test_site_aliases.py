"""Where links lead: what redirects say of a site's other links, and index pages."""

from __future__ import annotations

import pytest

from crawler.bounded_dict import MOST_ENTRIES
from crawler.discovery.site_aliases import MovedSites
from crawler.records import Link, Outlink

TO_HTTPS = [("http://a.example/1", "https://a.example/1"), ("http://a.example/2", "https://a.example/2")]


def led(moved: MovedSites, *urls: str) -> list[str]:
    return [outlink.link.url for outlink in moved.lead([Outlink(Link(url)) for url in urls])]


@pytest.mark.parametrize(
    ("redirects", "url", "expected"),
    [
        (TO_HTTPS, "http://a.example/x?y=1", "https://a.example/x?y=1"),
        (TO_HTTPS, "http://a.example/", "https://a.example/"),
        (TO_HTTPS, "http://b.example/x", "http://b.example/x"),
        (TO_HTTPS, "http://a.example:8080/x", "http://a.example:8080/x"),
        (TO_HTTPS[:1], "http://a.example/x", "http://a.example/x"),  # one may be an exception
        ([("http://www.a.example/1", "http://a.example/1")] * 2, "http://www.a.example/x", "http://a.example/x"),
        ([("http://a.example/1", "https://a.example/")] * 2, "http://a.example/x", "http://a.example/x"),  # all to home
        ([*TO_HTTPS, ("http://a.example/3", "https://b.example/3")], "http://a.example/x", "http://a.example/x"),
        ([("http://a.example/1", "http://a.example/2")] * 2, "http://a.example/x", "http://a.example/x"),
        ([], "http://a.example/x/index.html", "http://a.example/x/"),
        ([], "http://a.example/index.html", "http://a.example/"),
        ([], "http://a.example/x/my-index.html", "http://a.example/x/my-index.html"),
        ([], "http://a.example/x/index.html?y=1", "http://a.example/x/index.html?y=1"),
    ],
)
def test_where_a_link_leads(redirects: list[tuple[str, str]], url: str, expected: str) -> None:
    moved = MovedSites()
    for source, target in redirects:
        moved.redirected(source, target)
    assert led(moved, url) == [expected]


def test_a_site_that_gave_a_page_has_not_moved() -> None:
    moved = MovedSites()
    moved.answered("http://a.example/0")
    for source, target in TO_HTTPS:
        moved.redirected(source, target)
    assert led(moved, "http://a.example/x") == ["http://a.example/x"]


def test_two_links_that_lead_to_one_address_are_one() -> None:
    moved = MovedSites()
    assert led(moved, "http://a.example/x/", "http://a.example/y", "http://a.example/x/index.html") == [
        "http://a.example/x/",
        "http://a.example/y",
    ]


def test_what_is_remembered_of_sites_has_a_bound() -> None:
    moved = MovedSites()
    for number in range(MOST_ENTRIES + 10):
        moved.redirected(f"http://h{number}.example/1", f"https://h{number}.example/1")
        moved.answered(f"http://h{number}.example/1")
    assert len(moved._redirects) == len(moved._answers) == MOST_ENTRIES
