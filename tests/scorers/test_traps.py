"""Traps: which places lose their worth, and how fast."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.html.urls import domain
from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers import traps
from crawler.scorers.registry import crawls_scorer
from crawler.scorers.simple import BestFirst, BreadthFirst
from crawler.scorers.traps import Traps, Wary


def judged(url: str, repeats: bool = False, *targets: str) -> JudgedPage:
    outlinks = tuple(Outlink(Link(target), 0.5, 0.5, 0.5) for target in targets)
    return JudgedPage(url, 0.8, True, 0.2, 0, 0, outlinks, repeats=repeats)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.b.co.uk", "b.co.uk"),
        ("co.uk", "co.uk"),
        ("x.blog.example.com", "example.com"),
        ("me.github.io", "me.github.io"),
        ("a.trap.example", "trap.example"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("a.xn--fiqs8s", "a.xn--fiqs8s"),
        ("", ""),
    ],
)
def test_registered_domain(name: str, expected: str) -> None:
    assert domain(name) == expected


def after(*pages: tuple[str, bool]) -> Traps:
    found = Traps()
    for url, repeats in pages:
        found.learn(url, repeats)
    return found


def test_repetitions_cost_host_domain_prefix_and_pattern() -> None:
    found = after(*((f"http://m{n}.one.com/post/{n}.html", True) for n in range(5)), ("http://two.net/1", False))
    assert found.worth("http://two.net/2") == 1
    assert found.worth("http://m3.one.com/post/9.html") < 0.4
    assert found.worth("http://new.one.com/") < 0.4, "another host of the domain"
    found = after(
        *((f"http://one.com/good/{n}", False) for n in range(50)),
        *((f"http://one.com/p?s={n}", True) for n in range(5)),
    )
    assert found.worth("http://one.com/good/99") > 0.9
    assert found.worth("http://one.com/p?s=77") < 0.4
    found = after(
        *((f"http://one.com/good/{n}", False) for n in range(50)),
        *((f"http://one.com/t/{n}/x{n}", True) for n in range(5)),
    )
    assert found.worth("http://one.com/t/new") < 0.4


def test_a_domain_that_makes_up_hosts() -> None:
    found = after(*((f"http://h{n}.one.com/", False) for n in range(40)))
    assert found.worth("http://new.one.com/") < 0.2
    assert found.worth("http://h7.one.com/more") == 1, "a host that is known"
    for n in range(40):
        found.learn(f"http://h{n}.one.com/second", False)
    assert found.worth("http://new.one.com/") == 1, "hosts that have more than one page"


def test_a_place_regains_its_worth() -> None:
    found = after(*((f"http://one.com/{n}", True) for n in range(10)))
    before = found.worth("http://one.com/x")
    for n in range(200):
        found.learn(f"http://one.com/good{n}", False)
    assert before < 0.3 < 0.9 < found.worth("http://one.com/x")


@given(
    st.lists(
        st.tuples(st.sampled_from(["http://a.b.com/x/1", "http://b.com/", "http://c.b.com:8/y?z=1"]), st.booleans())
    )
)
def test_worth_is_a_share(pages: list[tuple[str, bool]]) -> None:
    found = after(*pages)
    assert all(0 < found.worth(url) <= 1 for url, _ in pages)


def test_memory_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traps, "PLACES", 100)
    found = after(*((f"http://h{n}.d{n}.com/{n}/{n}", n % 2 == 0) for n in range(1000)))
    assert len(found._places) <= 100
    assert len(found._suspect) + len(found._lone) <= 200


def test_scores_above_and_below_zero_fall_and_are_explained() -> None:
    target = "http://one.com/next"
    for inner in (BestFirst(), BreadthFirst()):
        plain, wary = type(inner)(), Wary(inner)
        for n in range(9):
            page = judged(f"http://one.com/{n}", True, target)
            before, now = plain.observe(page)[target], wary.observe(page)[target]
        assert now < before
        assert sum(part.value for part in wary.explain(target, page) if not part.of) == pytest.approx(now)
        assert wary.name == plain.name


def test_crawls_are_wary() -> None:
    assert isinstance(crawls_scorer("bfs"), Wary)
