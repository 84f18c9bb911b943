import pytest
from hypothesis import given, strategies as st

from crawler.clock import DAY
from crawler.frontier.politeness import (
    COSTLY,
    GIVE_UP_REST,
    HOST_REST,
    LONGEST_REST,
    MAX_HOST_FAILURES,
    MAX_RETRY_AFTER,
    MOST_MISSES,
    STRANGER,
    Contact,
    HostRecord,
    Manners,
    after,
    long_rest,
    rest,
    url_rest,
)

GIVEN_UP = Manners(0, 10 + GIVE_UP_REST, MAX_HOST_FAILURES, given_ups=1)
AFTER = [  # before, contact, delay, expected
    (Manners(), Contact("a", 10, 200), 0.0, Manners()),
    (Manners(), Contact("a", 10, 200), 2.0, Manners(next_due=12)),
    (Manners(), Contact("a", 10, 200, seconds=4), 2.0, Manners(next_due=12)),
    (Manners(), Contact("a", 10, 200, seconds=6), 2.0, Manners(12, rest_until=10 + 4 * 6)),  # a slow host
    (Manners(), Contact("a", 10, 200, seconds=29), 0.0, Manners(rest_until=70)),
    (Manners(), Contact("a", 10, 404, misses=MOST_MISSES), 0.0, Manners()),
    (Manners(), Contact("a", 10, 404, misses=MOST_MISSES + 1), 0.0, GIVEN_UP),
    (Manners(), Contact("a", 10, 404), 2.0, Manners(next_due=12)),  # the host has answered
    (Manners(next_due=99), Contact("a", 10, 200), 2.0, Manners(next_due=99)),
    (Manners(), Contact("a", 10, 0), 0.0, Manners(0, 10 + HOST_REST, 1)),
    (Manners(), Contact("a", 10, 0, stranger=True), 0.0, Manners(0, 10 + 4 * HOST_REST, STRANGER)),
    (
        Manners(0, 18, STRANGER),
        Contact("a", 18, 502, stranger=True),
        0.0,
        Manners(0, 18 + GIVE_UP_REST, 6, given_ups=1),
    ),
    (Manners(), Contact("a", 10, 500), 1.0, Manners(11, 10 + HOST_REST, 1)),
    (Manners(), Contact("a", 10, 429), 0.0, Manners(0, 10 + HOST_REST, 1)),
    (Manners(), Contact("a", 10, 429, retry_after=60), 0.0, Manners(70, 10 + HOST_REST, 1)),
    (Manners(), Contact("a", 10, 503, retry_after=1), 5.0, Manners(15, 10 + HOST_REST, 1)),
    (Manners(), Contact("a", 10, 503, retry_after=1e9), 0.0, Manners(10 + MAX_RETRY_AFTER, 10 + HOST_REST, 1)),
    (Manners(0, 10, 1), Contact("a", 11, 500), 0.0, Manners(0, 11 + 2 * HOST_REST, 2)),
    (Manners(0, 12, 1), Contact("a", 11, 500), 0.0, Manners(0, 12, 1)),  # in flight when the host was sent to rest
    (Manners(0, 12, 1), Contact("a", 11, 200), 0.0, Manners()),  # a success clears the back-off
    (Manners(70, 12, 1), Contact("a", 11, 200), 0.0, Manners(next_due=70)),  # but not what the server asked for
    (Manners(crawl_delay=9), Contact("a", 10, 200), 2.0, Manners(19, crawl_delay=9)),
    (Manners(crawl_delay=1), Contact("a", 10, 200), 2.0, Manners(12, crawl_delay=1)),
    (Manners(crawl_delay=9), Contact("a", 10, 429, retry_after=60), 0.0, Manners(70, 10 + HOST_REST, 1, 9)),
    (
        Manners(0, 0, MAX_HOST_FAILURES - 1),
        Contact("a", 5, 0),
        0.0,
        Manners(0, 5 + GIVE_UP_REST, MAX_HOST_FAILURES, given_ups=1),
    ),
    (GIVEN_UP, Contact("a", 9e9, 502), 0.0, Manners(0, 9e9 + DAY, MAX_HOST_FAILURES + 1, given_ups=2)),
    (GIVEN_UP, Contact("a", 9e9, 0, alone=True), 0.0, Manners(0, 9e9 + 3600, MAX_HOST_FAILURES + 1, given_ups=1)),
    (GIVEN_UP, Contact("a", 9e9, 404), 0.0, Manners()),  # it has answered
]


@pytest.mark.parametrize(("before", "contact", "delay", "expected"), AFTER)
def test_manners_after_a_contact(before: Manners, contact: Contact, delay: float, expected: Manners) -> None:
    assert after(before, contact, delay) == expected


ANSWERS = [
    (200, (6, 0)),
    (304, (6, 0)),
    (301, (5, 7)),
    (404, (5, 8)),
    (410, (5, 8)),
    (403, (5, 8)),
    (503, (5, 7)),
    (0, (5, 7)),
]


@pytest.mark.parametrize(("status", "expected"), ANSWERS)
def test_answers(status: int, expected: tuple[int, int]) -> None:
    assert HostRecord(5, 7).with_one(status) == (*expected, 0)


def test_a_costly_page_counts_as_misses_that_pages_in_between_leave() -> None:
    assert HostRecord(5, 7).with_one(200, parked=True) == (5, 7 + COSTLY, 0)
    record = HostRecord(5).with_one(200, costly=True)
    assert record == (5, 0, 1) and record.debt == COSTLY - 5
    assert record.with_one(404).with_one(200).debt == COSTLY - 6


def test_a_host_is_given_up_in_half_a_minute() -> None:
    manners, now = Manners(), 0.0
    while not manners.given_up:
        manners = after(manners, Contact("a", now, 0), 0.0)
        if not manners.given_up:
            now = manners.rest_until
    assert now == 30
    assert manners.rest_until == now + GIVE_UP_REST


contacts = st.builds(
    Contact,
    st.just("a"),
    st.floats(0, 1e6),
    st.sampled_from([0, 200, 301, 404, 429, 500, 503]),
    st.none() | st.floats(0, 1e7),
)


@given(st.lists(contacts), st.floats(0, 100))
def test_next_due_never_moves_back(answers: list[Contact], delay: float) -> None:
    manners = Manners()
    for contact in answers:
        new = after(manners, contact, delay)
        assert new.next_due >= manners.next_due
        assert new.failures <= manners.failures + 1
        assert contact.failed or (new.rest_until == 0 and new.failures == 0)
        manners = new


def test_rests_grow() -> None:
    assert [rest(n) for n in range(1, MAX_HOST_FAILURES)] == [2, 4, 8, 16]
    assert [long_rest(n) for n in (1, 2, 3, 4)] == [GIVE_UP_REST, DAY, 2 * DAY, 4 * DAY]
    assert long_rest(7) == long_rest(32_000) == LONGEST_REST
    assert [url_rest(n) for n in (1, 2, 3)] == [4, 8, 16]
