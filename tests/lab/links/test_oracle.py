"""The oracle: posts first, then what opens most of those that nobody has seen."""

from crawler.records import JudgedPage, Link, Outlink
from lab.links.oracle import POST_SCORE, Oracle

POSTS = {"p1", "p2", "p3", "p4"}
LINKS = {"home": ["hub", "small", "p1", "dull"], "hub": ["p1", "p2", "p3"], "small": ["p3", "p4"], "dull": ["home"]}


def page(url: str) -> JudgedPage:
    return JudgedPage(url, 0.0, False, 0.0, 0, 0, tuple(Outlink(Link(target), 0.0) for target in LINKS[url]))


def test_posts_then_hubs_by_what_they_still_open() -> None:
    oracle = Oracle(lambda url: url if url in POSTS else None, lambda url: LINKS.get(url, []))
    assert oracle.observe(page("home")) == {"hub": 2.0, "small": 2.0, "p1": POST_SCORE, "dull": 0.0}
    assert oracle.observe(page("hub")) == {"p1": POST_SCORE, "p2": POST_SCORE, "p3": POST_SCORE, "small": 1.0}


def test_a_post_under_another_address_is_worth_nothing_once_collected() -> None:
    names = {"p1": "p1", "p1/copy": "p1"}
    oracle = Oracle(names.get, lambda url: [])
    oracle.observe(JudgedPage("p1", 0.0, True, 0.0, 0, 0, ()))
    later = JudgedPage("q", 0.0, False, 0.0, 0, 0, (Outlink(Link("p1/copy"), 0.0),))
    assert oracle.observe(later) == {"p1/copy": 0.0}
