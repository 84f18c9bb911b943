"""What a visit is worth: laws of the policy, and the orders that follow from them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from crawler.clock import DAY
from crawler.records import Outcome
from crawler.store.revisits import (
    DAILY_CHANCE,
    LEAST_CHANCE,
    LIKELY,
    MISSING_EVERY,
    Events,
    Rates,
    Worth,
    _best,
    worth_of_new,
    worths,
)
from crawler.store.sources import Source

NOW = 1000 * DAY
PAGE = Source(
    url_id=1,
    url="https://a.example/x",
    index_kind="",
    visited_at=NOW,
    visits=2,
    content_at=0,
    watched=100.0,
    found=0.0,
    changed=0.0,
    told=False,
    heeded=0,
    proved=0,
    expires_at=None,
    missing=0,
    missing_since=None,
    moved_at=None,
    kind="article",
    outcome=Outcome.KEPT,
    similarity=0.5,
)
HOME = PAGE._replace(url="https://a.example/", kind="list", outcome=Outcome.OFF_TOPIC)


def source(like: Source = HOME, **values: object) -> Source:
    return like._replace(**values)


def days(*known: Source) -> list[float]:
    """The worth of each."""
    numbered = [one._replace(url_id=place) for place, one in enumerate(known)]
    found = worths(numbered, NOW)
    return [found[place].days if place in found else 0.0 for place in range(len(known))]


def test_what_was_visited_just_now_is_worth_nothing() -> None:
    assert days(source(), source(PAGE)) == [0.0, 0.0]


@given(st.floats(0.01, 500), st.floats(0.01, 500))
def test_the_longer_ago_the_better(shorter: float, longer: float) -> None:
    if shorter > longer:
        shorter, longer = longer, shorter
    for like in (HOME, PAGE):
        (first,) = days(like._replace(visited_at=NOW - shorter * DAY))
        (second,) = days(like._replace(visited_at=NOW - longer * DAY))
        assert first <= second * (1 + 1e-9)


def test_of_two_hosts_the_one_that_shows_more_is_visited_more_often() -> None:
    """In intervals proportional to 1 / sqrt(rate)."""
    busy = source(url="https://busy.example/", found=40.0)
    quiet = source(url="https://quiet.example/", found=0.0)
    first, second = days(busy._replace(visited_at=NOW - DAY), quiet._replace(visited_at=NOW - DAY))
    ratio = first / second
    assert ratio > 10
    _, later = days(busy._replace(visited_at=NOW - DAY), quiet._replace(visited_at=NOW - DAY * ratio**0.5))
    assert later == pytest.approx(first)


def test_two_sources_of_a_host_show_the_same() -> None:
    ago = NOW - 10 * DAY
    feed = source(url="https://a.example/feed", index_kind="feed", visited_at=ago)
    alone = days(feed)[0]
    both = days(feed, source(visited_at=ago))
    assert max(both) == pytest.approx(alone)
    assert min(both) < 0.2 * alone, "the second in one run has little to show"
    assert days(feed, source(visited_at=NOW))[0] < 0.2 * alone, "the other was there a moment ago"
    assert days(feed, source(url="https://b.example/", visited_at=NOW))[0] > 0.5 * alone


def test_a_list_that_finds_is_better_than_one_that_does_not() -> None:
    lists = [source(url=f"https://a.example/{n}/", visited_at=NOW - 5 * DAY, visits=20) for n in (1, 2)]
    first, second = days(lists[0]._replace(found=9.0), lists[1])
    assert first > 2 * second


def test_pages_that_change_all_the_time_are_left_alone() -> None:
    """Azar et al. 2018: no visit keeps them right."""
    ago = NOW - 100 * DAY
    pages = [
        PAGE._replace(url=f"https://{n}.example/x", visited_at=ago, changed=n, watched=10.0) for n in (0.02, 0.1, 900)
    ]
    never, often = days(pages[1])[0], days(pages[2])[0]
    assert often < never


@pytest.mark.parametrize(
    ("values", "is_due"),
    [
        ({"told": True}, True),
        ({"told": True, "expires_at": NOW + 1}, False),
        ({"told": True, "visited_at": NOW + 5 * DAY}, False),
        ({"missing": 1, "visited_at": NOW - MISSING_EVERY * DAY}, True),
        ({"missing": 1, "visited_at": NOW - 1}, False),
        ({"missing": 3, "visited_at": NOW - 99 * DAY}, False),
        ({"visited_at": NOW + 5 * DAY}, False),  # the clock was set back
    ],
)
def test_what_is_due(values: dict[str, object], is_due: bool) -> None:
    assert (days(PAGE._replace(**values))[0] > 0.0) == is_due


def test_index_files_are_believed_as_far_as_they_proved_true() -> None:
    right = PAGE._replace(url="https://r.example/", told=True, heeded=10, proved=9)
    wrong = PAGE._replace(url="https://w.example/", told=True, heeded=10, proved=0)
    first, second = days(right, wrong)
    assert first > 5 * second > 0


def test_an_index_file_that_tells_of_every_page_is_soon_believed_no_more() -> None:
    told = [PAGE._replace(url=f"https://a.example/{n}", told=True) for n in range(40)]
    worth = days(*told)
    assert sum(worth) < 7 * max(worth), "one that was never right takes no day's budget"
    assert sum(days(*(page._replace(heeded=1, proved=1) for page in told))) > 25 * max(worth), "one that was right does"


@pytest.mark.parametrize(("ago", "wanted"), [(1.0, worth_of_new(DAILY_CHANCE)), (2.0, worth_of_new(LIKELY))])
def test_a_best_source_is_not_left_out_for_long(ago: float, wanted: float) -> None:
    known = [source(url_id=0, visited_at=NOW - ago * DAY), PAGE._replace(url_id=1)]
    assert worths(known, NOW)[0].score == pytest.approx(wanted)


def test_a_host_holds_back_no_more_than_its_own() -> None:
    """It may not answer."""
    large = [PAGE._replace(url=f"https://a.example/{n}", similarity=0.9) for n in range(40)]
    others = [PAGE._replace(url=f"https://{n}.example/x", similarity=0.1) for n in range(9)]
    known = [one._replace(url_id=place, visited_at=NOW - DAY) for place, one in enumerate([*large, *others])]
    chosen = _best(worths(known, NOW), known, 10)
    assert [sum(row < len(large) for row in chosen), sum(row >= len(large) for row in chosen)] == [10, 9]


def test_the_surer_link_is_fetched_first() -> None:
    assert worth_of_new(0.9) > worth_of_new(0.5) > worth_of_new(0.0) == worth_of_new(LEAST_CHANCE / 2)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.floats(0, 400)), min_size=1, max_size=20))
def test_rates_are_positive_and_rise_with_what_happened(seen: list[tuple[str, int, float]]) -> None:
    rows = [Events(host, number, days) for host, number, days in seen]
    rates = Rates(rows, 0.01)
    for row in rows:
        assert 0.0 < rates.of(row) < rates.of(row._replace(number=row.number + 1))
        assert rates.of(row) > rates.of(row._replace(days=row.days + 10))


def test_a_site_whose_home_page_stays_as_it_is_has_not_changed() -> None:
    page = PAGE._replace(visited_at=NOW - 30 * DAY)
    quiet = HOME._replace(content_at=NOW - 40 * DAY, visited_at=NOW)
    deployed = HOME._replace(content_at=NOW - 5 * DAY, visited_at=NOW)
    elsewhere = quiet._replace(url="https://b.example/")
    of_quiet, of_deployed, of_nothing = (days(page, home)[0] for home in (quiet, deployed, elsewhere))
    assert of_quiet < 0.3 * of_deployed
    assert of_deployed == pytest.approx(of_nothing, rel=0.3)


def test_the_best_source_of_each_host_comes_before_all_kept_pages() -> None:
    old = source(PAGE, url_id=1, visited_at=0.0)
    home = source(HOME, url_id=2, visited_at=NOW - DAY, watched=900.0)
    feed = source(HOME, url_id=3, url="https://a.example/feed", index_kind="feed", visited_at=NOW - DAY, watched=900.0)
    found = worths([old, home, feed], NOW, 1)
    assert found[1].days > found[2].days
    assert [row_id for row_id, worth in found.items() if worth.due] == [2]
    assert found[2].score > found[1].score
    found = worths([old, home, feed._replace(visited_at=NOW - 4 * DAY)], NOW, 1)
    assert [row_id for row_id, worth in found.items() if worth.due] == [2, 3]
    assert found[2].score > found[3].score > worth_of_new(0.02) > found[1].score, "kept pages come after new links"
    assert not any(worth.due for worth in worths([home, feed], NOW).values()), "a host without kept pages"


def test_an_index_file_is_asked_when_pages_were_renamed() -> None:
    home = source(HOME, url_id=2, visited_at=NOW - DAY, watched=900.0)
    feed = source(HOME, url_id=3, url="https://a.example/feed", index_kind="feed", visited_at=NOW - DAY, watched=900.0)
    lost = [
        source(PAGE, url_id=number, missing=1, missing_since=NOW - DAY / 2, visited_at=NOW - DAY / 2)
        for number in (10, 11)
    ]
    for pages, due in ((lost[:1], [2]), (lost, [2, 3])):
        assert [row_id for row_id, worth in worths([home, feed, *pages], NOW, 1).items() if worth.due] == due
    asked = feed._replace(visited_at=NOW - DAY / 4)
    assert sum(worth.due > 0 for worth in worths([home, asked, *lost], NOW, 1).values()) == 1, "once"


@pytest.mark.parametrize(
    ("missing", "days", "is_moving", "is_due"),
    [
        (1, 1, False, True),
        (2, 1, False, False),
        (2, 2, False, True),
        (4, 7, False, False),
        (4, 8, False, True),
        (4, 1, True, True),
    ],
)
def test_an_index_file_that_is_missing_is_asked_again(missing: int, days: float, is_moving: bool, is_due: bool) -> None:
    """Each day while its host is moving, else at growing intervals."""
    then = NOW - days * DAY
    home = source(HOME, url_id=2, visited_at=NOW - DAY)
    feed = source(HOME, url_id=3, url="https://a.example/feed", index_kind="feed", visited_at=then, missing=missing)
    lost = [source(PAGE, url_id=n, missing=is_moving, missing_since=then, visited_at=then) for n in (10, 11)]
    assert (worths([home, feed, *lost], NOW).get(3, Worth()).days > 0.0) == is_due


def test_pages_that_were_found_to_have_moved_after_their_last_visit() -> None:
    moved = [source(PAGE, url_id=n, moved_at=NOW - DAY, visited_at=NOW - 2 * DAY) for n in (10, 11)]
    assert worths([source(HOME, url_id=2, visited_at=NOW - DAY), *moved], NOW)[2].days > 0.0


@pytest.mark.parametrize(("missing", "asked"), [(0, set()), (1, {11}), (2, {20})])
def test_a_page_that_has_left_is_seldom_alone_and_what_led_to_it_may_know_where_it_is(
    missing: int, asked: set[int]
) -> None:
    """First another page of its host tells whether the host is moving, then the lists through which they were found."""
    before = NOW - 9 * DAY
    rest = [source(PAGE, url_id=n, via=20, visited_at=before + n) for n in range(10 + missing, 14)]
    lost = [source(PAGE, url_id=n, via=20, missing=1, missing_since=NOW - DAY) for n in range(10, 10 + missing)]
    lists = [source(HOME, url_id=n, url=f"https://a.example/{n}", visited_at=before) for n in (20, 21)]
    found = worths([source(HOME, url_id=2, visited_at=NOW - DAY), *lost, *rest, *lists], NOW)
    assert {row for row, worth in found.items() if worth.due and row != 2} == asked


@pytest.mark.parametrize(
    ("most", "hosts", "days", "is_due"),
    [(30, 5, 1, True), (30, 30, 1, False), (30, 30, 3, True), (10, 5, 1, False), (10, 5, 1.5, True), (3, 50, 7, True)],
)
def test_the_best_index_file_of_each_good_host_is_asked_as_the_budget_allows(
    most: int, hosts: int, days: float, is_due: bool
) -> None:
    """A third of the requests is for them, and none waits for more than a week. One that lists all pages is better."""
    known = []
    for host in range(hosts):
        at = {"visited_at": NOW - days * DAY}
        known += [
            source(PAGE, url_id=10 * host, url=f"https://{host}.example/x"),
            source(HOME, url_id=10 * host + 1, url=f"https://{host}.example/"),
            source(HOME, url_id=10 * host + 2, url=f"https://{host}.example/feed", index_kind="feed", **at),
            source(HOME, url_id=10 * host + 3, url=f"https://{host}.example/map", index_kind="sitemap", **at),
        ]
    due = [row_id for row_id, worth in worths(known, NOW, most).items() if worth.due and row_id % 10 != 1]
    assert due == [10 * host + 3 for host in range(hosts) if is_due]


def test_a_source_that_repeats_a_cheaper_one_is_worth_less() -> None:
    home = source(HOME, url_id=1, visited_at=NOW - 2 * DAY)
    feed = source(HOME, url_id=2, url="https://a.example/feed", index_kind="feed", visited_at=NOW - 5 * DAY)
    small, large = (worths([home, feed._replace(size=size)], NOW)[2] for size in (1_000, 5_000_000))
    assert small.score > 5 * large.score > 0.0
