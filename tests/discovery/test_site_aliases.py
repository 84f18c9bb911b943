"""Where links lead: what redirects say of a site's other links, and index pages."""

from __future__ import annotations

import pytest

from crawler.bounded_dict import MOST_ENTRIES
from crawler.discovery.site_aliases import SHORTEST, MovedSites
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


F = "http://f.example/bbs/"
DISCUZ = [
    "forum.php?mod=viewthread&tid=5&extra=page%3D1",
    "thread-5-1-3.html",
    "forum.php?mod=viewthread&tid=5&page=1&authorid=7",
    "forum.php?mod=viewthread&tid=5&extra=&ordertype=1",
    "forum.php?mod=viewthread&action=printable&tid=5",
    "forum.php?mod=redirect&tid=5&goto=lastpost",
    "forum.php?mod=redirect&goto=findpost&ptid=5&pid=9",
    "archiver/?tid-5.html",
    "archiver/tid-5.html",
    "thread-5-1-1.html",
]
PHPWIND = [
    "read-htm-tid-5.html",
    "read-htm-tid-5-fpage-2.html",
    "read.php?tid=5&fpage=2&toread=1",
    "read.php?tid-5.html",
    "simple/?t5.html",
    "read.php?tid=5&page=e",
    "job.php?action=topost&tid=5&pid=9",
]
SECOND = ["thread-5-2-1.html", "forum.php?mod=viewthread&tid=5&page=2&extra=", "archiver/?tid-5-page-2.html"]
OTHERS = [
    "forum.php?mod=forumdisplay&fid=5",
    "forum.php?mod=redirect&goto=nextnewset&tid=5",
    "forum.php?mod=viewthread",
    "x.php?tid=5",
    "thread-5.html",
    "read.php?tid=x",
]


@pytest.mark.parametrize(
    ("links", "found"),
    [
        (DISCUZ, [DISCUZ[0].partition("&extra")[0]]),
        (DISCUZ[::-1], ["thread-5-1-1.html"]),
        (PHPWIND, ["read-htm-tid-5.html"]),
        (SECOND, ["thread-5-2-1.html"]),
        (["viewthread.php?tid=5&highlight=x", "redirect.php?tid=5&goto=lastpost"], ["viewthread.php?tid=5"]),
        (["archiver/?tid-5.html"], ["archiver/?tid-5.html"]),  # nothing shows how this forum writes its threads
        (OTHERS, OTHERS),
    ],
)
def test_a_thread_has_one_address(links: list[str], found: list[str]) -> None:
    outlinks = MovedSites().lead([Outlink(Link(F + link)) for link in links], F)
    assert [outlink.link.url for outlink in outlinks] == [F + url for url in found]


@pytest.mark.parametrize(
    ("given", "url", "target"),
    [
        (["thread-1-1-1.html"], f"{F}forum.php?mod=viewthread&tid=5", f"{F}thread-5-1-1.html"),
        ([], f"{F}a/index.html", f"{F}a/"),
    ],
)
def test_an_address_that_fails_is_asked_for_as_it_was_written(given: list[str], url: str, target: str) -> None:
    moved = MovedSites()
    moved.lead([Outlink(Link(F + link)) for link in given], F)
    assert led(moved, url) == [target]
    assert moved.failed(f"{F}other") == ()
    assert moved.failed(target) == (url,)
    assert led(moved, url) == [url], "and is believed no more"


def test_a_site_with_a_dead_page_is_believed_again_when_it_goes_on_redirecting() -> None:
    moved = MovedSites()
    for source, target in TO_HTTPS:
        moved.redirected(source, target)
    assert led(moved, "http://a.example/dead") == ["https://a.example/dead"]
    assert moved.failed("https://a.example/dead") == ("http://a.example/dead",)
    assert led(moved, "http://a.example/x") == ["http://a.example/x"]
    for source, target in TO_HTTPS:
        moved.redirected(source, target)
    assert led(moved, "http://a.example/x") == ["https://a.example/x"]


def test_beliefs_of_texts_end_where_the_address_fails() -> None:
    moved = MovedSites()
    for post in ("1", "2"):
        moved.answered(f"{F}{post}", post * SHORTEST)
        moved.answered(f"{F}{post}.html", post * SHORTEST)
    assert led(moved, f"{F}3.html") == [f"{F}3"]
    assert moved.failed(f"{F}3") == (f"{F}3.html",)
    assert led(moved, f"{F}3.html", f"{F}4.html") == [f"{F}3.html", f"{F}4.html"]


def test_nobody_says_how_the_forum_of_another_host_writes() -> None:
    moved = MovedSites()
    moved.lead([Outlink(Link(f"{F}thread-1-1-1.html"))], "http://other.example/")
    assert led(moved, f"{F}forum.php?mod=viewthread&tid=5") == [f"{F}forum.php?mod=viewthread&tid=5"]


def test_a_site_of_another_owner_is_believed_in_for_the_folder_alone() -> None:
    moved = MovedSites()
    for number in range(2):
        moved.redirected(f"http://a.example/~x/{number}", f"http://b.example/~x/{number}")
    urls = ["http://a.example/~x/9", "http://a.example/~y/9"]
    assert led(moved, *urls) == ["http://b.example/~x/9", urls[1]]
