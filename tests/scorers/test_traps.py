"""Traps: which places lose their worth, and how fast."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.urls import domain
from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers import traps
from crawler.scorers.base import LinkScorer
from crawler.scorers.registry import crawl_scorer
from crawler.scorers.simple import BestFirst, BreadthFirst
from crawler.scorers.traps import TrapAware, Traps


def judged(url: str, repeats: bool = False, *targets: str) -> JudgedPage:
    outlinks = tuple(Outlink(Link(target), 0.5, 0.5, 0.5) for target in targets)
    return JudgedPage(url, 0.8, True, 0.2, 1, 0, outlinks, repeats=repeats)


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
        found.learn(judged(url, repeats))
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
    """Each with a text of its own, on the topic, and linked by the others."""
    found = Traps()
    found.learn(judged("http://blog.net/", False, "http://www.one.com/"))
    for n in range(40):
        found.learn(judged(f"http://h{n}.one.com/", False, f"http://h{n + 1}.one.com/", "http://one.com/"))
        found.learn(judged(f"http://h{n}.one.com/second", False))
    assert found.worth("http://new.one.com/") < 0.2
    assert found.worth("http://h7.one.com/more") < 0.2, "a host that nobody knows"
    assert found.worth("http://one.com/") == found.worth("http://www.one.com/") == 1


def platform(users: int, named: int) -> Traps:
    """Users of one domain with a page each, the first of whom are linked from a blog elsewhere."""
    found = Traps()
    for n in range(users):
        found.learn(judged(f"http://u{n}.one.com/", False, f"http://u{n + 1}.one.com/"))
        if n < named:
            found.learn(judged(f"http://blog{n}.net/", False, f"http://u{n}.one.com/"))
    return found


@pytest.mark.parametrize(("named", "least"), [(60, 1.0), (12, 1.0), (6, 0.4)])
def test_users_of_a_platform_make_room_for_others(named: int, least: float) -> None:
    found = platform(60, named)
    assert found.worth("http://u0.one.com/more") == 1
    assert found.worth("http://new.one.com/") >= least


def test_who_makes_no_room() -> None:
    found = platform(60, 0)
    users = [f"http://u{n}.one.com/" for n in range(60)]
    found.learn(replace(judged("http://shop.net/", False, *users), on_topic=False))
    found.learn(judged("http://copy.net/", True, *users))
    comments = tuple(Outlink(Link(user, rel="external ugc"), 0.5, 0.5, 0.5) for user in users)
    found.learn(replace(judged("http://forum.net/"), outlinks=comments))
    assert found.worth("http://new.one.com/") < 0.1, "who links to them is off topic, repeats, or says no word"
    found = Traps()
    found.learn(judged("http://blog.net/", False, *users))
    for user in users:
        found.learn(judged(user, True))
    assert found.worth("http://new.one.com/") < 0.1, "what they say was said before"


def test_one_domain_makes_room_for_a_few_only() -> None:
    """However many users the front page of a network of sites names."""
    found = platform(60, 0)
    users = [f"http://u{n}.one.com/" for n in range(40)]
    found.learn(judged("http://a.net/", False, *users))
    for user in users:
        found.learn(judged(user))
    alone = found.worth("http://new.one.com/")
    assert alone == (5 + 4 * 2) / 20, "of 60 users 20 are strangers, and three of the others count"
    found.learn(judged("http://b.net/", False, *(f"http://u{n}.one.com/" for n in range(40, 43))))
    assert found.worth("http://new.one.com/") > alone
    assert found.worth(users[9]) == 1


def test_a_host_is_known_for_many_good_pages() -> None:
    found = platform(40, 0)
    for n in range(traps.GOOD_PAGES - 1):
        assert found.worth("http://u3.one.com/more") < 1
        found.learn(judged(f"http://u3.one.com/{n}"))
    assert found.worth("http://u3.one.com/more") == 1


def test_a_place_regains_its_worth() -> None:
    found = after(*((f"http://one.com/{n}", True) for n in range(10)))
    before = found.worth("http://one.com/x")
    for n in range(200):
        found.learn(judged(f"http://one.com/good{n}"))
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
    assert max(len(found._places), len(found._domains), len(found._named)) <= 100


def test_scores_above_and_below_zero_fall_and_are_explained() -> None:
    target = "http://one.com/next"
    for inner in (BestFirst(), BreadthFirst()):
        plain, wary = type(inner)(), TrapAware(inner)
        for n in range(9):
            page = judged(f"http://one.com/{n}", True, target)
            before, now = plain.observe(page)[target], wary.observe(page)[target]
        assert now < before
        assert sum(part.value for part in wary.explain(target, page) if not part.of) == pytest.approx(now)
        assert wary.name == plain.name


def test_crawls_are_wary() -> None:
    assert isinstance(crawl_scorer("bfs"), TrapAware)


def test_a_page_that_is_visited_again_is_not_counted_again() -> None:
    target = "http://one.com/next"
    once, often = crawl_scorer("bfs"), crawl_scorer("bfs")
    page = judged("http://one.com/", True, target)
    often.observe(page)
    for _ in range(9):
        often.observe(replace(page, again=True))
    assert once.observe(page) == often.observe(replace(page, again=True))


def test_all_that_a_scorer_can_be_asked_is_handed_on() -> None:
    asked = {name for name, value in vars(LinkScorer).items() if callable(value) and not name.startswith("_")}
    assert asked <= vars(TrapAware).keys()


def elsewhere(url: str, repeats: bool = False, *targets: str) -> JudgedPage:
    return replace(judged(url, repeats, *targets), on_topic=False, nearness=0.0)


def test_users_of_a_public_suffix_are_one_crowd() -> None:
    """To the registry they are one customer, and a user costs nothing."""
    found = Traps()
    for n in range(40):
        found.learn(judged(f"http://u{n}.github.io/", False, f"http://u{n + 1}.github.io/"))
    assert found.worth("http://new.github.io/") < 0.2
    assert found.worth("http://new.gitlab.io/") == 1


@pytest.mark.parametrize(("good_every", "least", "most"), [(0, 0.0, 0.25), (10, 0.7, 1.0)])
def test_domains_that_lead_to_ever_new_ones(good_every: int, least: float, most: float) -> None:
    """Ten generations of three: the first is charged for all of them, unless some are good."""
    found = Traps()
    found.learn(judged("http://good.net/", False, "http://d.com/", "http://other.org/"))
    names = ["d"]
    number = 0
    for _ in range(10):
        for name in names:
            page = judged if good_every and number % good_every == 0 else elsewhere
            found.learn(page(f"http://{name}.com/", False, *(f"http://{name}{n}.com/" for n in range(3))))
            number += 1
        names = [f"{name}{n}" for name in names for n in range(3)][:6]
    assert least <= found.worth(f"http://{names[0]}.com/") <= most
    assert found.worth("http://good.net/more") == 1, "a domain that has given pages is judged by them"
    if not good_every:
        assert found.worth("http://other.org/") < 1, "what the same page named"


def test_long_chains_of_redirects_cost_a_place_its_worth() -> None:
    found = Traps()
    for n in range(10):
        found.redirected(f"http://short.net/{n}", f"https://short.net/{n}")
        found.redirected(f"https://short.net/{n}", f"https://www.short.net/{n}")
        for step in range(10):
            found.redirected(f"http://maze.net/{n}-{step}", f"http://maze.net/{n}-{step + 1}")
        found.learn(judged(f"https://www.short.net/{n}"))
        found.learn(judged(f"http://maze.net/{n}-10"))
    assert found.worth("https://www.short.net/new") == 1
    assert found.worth("http://maze.net/new") < 0.2


def test_hosts_of_seeds_are_known_but_make_no_room() -> None:
    """Of a platform's forty users whom the user has named none is suspect; others are as before. Some were met by a
    link or an index file first, of some there is only an index file."""
    found, alone = Traps(), Traps()
    for number in range(40):
        seed = f"http://u{number}.github.io/"
        if number % 2:
            found.learn(judged(f"{seed}post"))
        if number % 3:
            found.trust(f"{seed}sitemap.xml")
        if number % 3 < 2:
            found.learn(replace(judged(seed), depth=0))
    for number in range(30):
        for traps_ in (found, alone):
            traps_.learn(judged(f"http://s{number}.github.io/"))
    assert {found.worth(f"http://u{number}.github.io/next") for number in range(40)} == {1.0}
    assert found.worth("http://new.github.io/") == alone.worth("http://new.github.io/") < 0.2


def test_what_waits_on_hosts_without_a_page_is_told_again_when_its_worth_falls() -> None:
    """The scorer itself never tells it again, nor does any page link to it."""
    wary = TrapAware(BestFirst())
    waiting = [f"http://waits{n}.github.io/" for n in range(traps.AT_A_TIME + 1)]
    entry = elsewhere("http://list.net/", False, *waiting)
    (before,) = {*wary.observe(entry).values()}
    told: dict[str, float] = {}
    for n in range(40):
        wary.observe(judged(f"http://u{n}.github.io/"))
        told.update(wary.refresh())
    assert told.keys() == {*waiting}
    worth = Traps()
    worth.learn(entry)
    for n in range(40):
        worth.learn(judged(f"http://u{n}.github.io/"))
    for url, score in told.items():
        assert score == pytest.approx(before * worth.worth(url), rel=2 * traps.MOVED)
    fetched = waiting[0]
    wary.observe(judged(fetched))
    assert fetched not in {url for _ in range(9) for url in (wary.observe(judged(fetched)), wary.refresh())[1]}
