from collections import Counter
from contextlib import nullcontext

import pytest
from sqlalchemy import select

from crawler.clock import DAY
from crawler.database.database import Database
from crawler.database.schema import queues
from crawler.errors import StoreError
from crawler.frontier.claimable import Allowance
from crawler.frontier.frontier import FAIR_EVERY, SEED_SCORE, Counts, Frontier
from crawler.frontier.new_urls import NewUrl, merged, netloc
from crawler.frontier.politeness import GIVE_UP_REST, HOST_REST, MAX_HOST_FAILURES, MOST_MISSES, URL_REST, Contact
from crawler.records import Claim
from crawler.store import side_files
from crawler.store.side_files import SideFile


def open_frontier(database: Database, scores: dict[str, float], **options: float) -> Frontier:
    frontier = Frontier(database, "t", **options)  # type: ignore[arg-type]
    frontier.add([NewUrl(url, score) for url, score in scores.items()], now=0)
    return frontier


def urls(claims: list[Claim]) -> list[str]:
    return [claim.url for claim in claims]


def a(n: int) -> str:
    return f"https://a.example/{n}"


def b(n: int) -> str:
    return f"https://b.example/{n}"


def contact(url: str, at: float, status: int = 200, retry_after: float | None = None) -> Contact:
    return Contact(netloc(url), at, status, retry_after)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://a.example/", "a.example"),
        ("http://a.example:8080/x?y=http://b.example/", "a.example:8080"),
        ("http://xn--fiq228c.example/a", "xn--fiq228c.example"),
    ],
)
def test_host(url: str, host: str) -> None:
    assert netloc(url) == host


def test_seeds_count_once(database: Database) -> None:
    frontier = Frontier(database, "t")
    assert frontier.seed([a(1), a(1), b(1)], now=0) == 2
    assert frontier.seed([a(1), b(2)], now=0) == 1
    assert [(claim.score, claim.depth) for claim in frontier.claim(9, now=0)] == [(SEED_SCORE, 0)] * 2


def test_best_first_over_all_hosts(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 0.1, b(1): 0.5, a(2): 0.9, b(2): 0.3, a(3): 0.7}, per_host=9)
    assert urls(frontier.claim(2, now=0)) == [a(2), a(3)]
    assert urls(frontier.claim(9, now=0)) == [b(1), b(2), a(1)]


def test_equal_scores_come_in_the_order_found(database: Database) -> None:
    found = {a(1): 1.0, b(1): 1.0, a(2): 1.0, b(2): 1.0}
    assert urls(open_frontier(database, found, per_host=9).claim(4, now=0)) == list(found)


def test_per_host_limit_over_topics(database: Database) -> None:
    frontier = open_frontier(database, {a(n): n for n in range(5)} | {b(1): -1}, per_host=2)
    other = Frontier(database, "other", per_host=2)
    other.seed([a(7), b(7)], now=0)
    first = frontier.claim(9, now=0)
    assert urls(first) == [a(4), a(3), b(1)]
    assert urls(other.claim(9, now=0)) == [b(7)]
    frontier.end(first[:1])
    assert urls(frontier.claim(9, now=0)) == [a(2)]


def test_a_host_that_fails_is_tried_with_one_url_until_it_answers(database: Database) -> None:
    frontier = open_frontier(database, {a(n): float(-n) for n in range(6)}, per_host=4)
    (first, *others) = frontier.claim(2, now=100)
    frontier.retry([first, *others], now=100)
    frontier.manners.met([contact(a(0), 100, 503)])
    (tried,) = frontier.claim(9, now=102)
    assert frontier.claim(9, now=103) == [] and frontier.next_due(103) > 0
    frontier.end([tried])
    frontier.manners.met([contact(tried.url, 103)])
    assert len(frontier.claim(9, now=103)) == 3, "the two that failed wait"


def test_delay_spaces_a_host(database: Database) -> None:
    frontier = open_frontier(database, {a(n): 1.0 for n in range(3)}, delay=5, per_host=4)
    (first,) = frontier.claim(9, now=100)
    assert frontier.claim(9, now=104) == []
    assert frontier.next_due(104) == 1
    frontier.end([first])
    frontier.manners.met([contact(a(0), at=103)])
    assert frontier.next_due(104) == 4
    assert frontier.claim(9, now=107.9) == []
    assert urls(frontier.claim(9, now=108)) == [a(1)]


def test_politeness_is_shared_by_topics(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0}, delay=5)
    other = Frontier(database, "other", delay=5)
    other.seed([a(2)], now=0)
    claims = frontier.claim(9, now=100)
    frontier.end(claims)
    assert other.claim(9, now=101) == []
    assert other.next_due(101) == 4


def test_retry_after_and_back_off(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0, a(2): 0.5, b(1): 0.1})
    (first,) = [claim for claim in frontier.claim(9, now=100) if claim.url == a(1)]
    frontier.retry([first], now=100)
    frontier.manners.met([contact(a(1), 100, 503, retry_after=60)])
    assert frontier.claim(9, now=159) == []
    (again,) = frontier.claim(9, now=160)
    assert (again.url, again.tries) == (a(1), 1)


def test_retried_url_rests_while_others_of_its_host_go_on(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0, a(2): 0.5})
    claims = frontier.claim(9, now=100)
    frontier.retry(claims, now=100)
    assert urls(frontier.claim(9, now=100 + URL_REST - 1)) == [a(2)]
    assert frontier.counts() == Counts(waiting=1, leased=1, done=0, given_up=0)
    assert frontier.next_due(101) == URL_REST - 1


def test_failing_host_is_given_up_and_tried_again_at_the_next_start(database: Database) -> None:
    frontier = open_frontier(database, {a(n): 1.0 for n in range(20)})
    now, rests = 0.0, []
    for _ in range(MAX_HOST_FAILURES):
        (claim,) = frontier.claim(9, now)
        frontier.retry([claim], now)
        frontier.manners.met([contact(claim.url, now, 0)])
        due = frontier.next_due(now)
        if due is not None:
            rests.append(due)
            now += due
    assert rests == [HOST_REST * 2**n for n in range(MAX_HOST_FAILURES - 1)]
    assert frontier.next_due(now) is None
    assert frontier.claim(9, now + GIVE_UP_REST - 1) == []
    assert frontier.counts() == Counts(waiting=0, leased=0, done=0, given_up=20)
    claims = frontier.claim(9, now + GIVE_UP_REST)
    assert len(claims) == 1
    frontier.release(claims)
    again = Frontier(database, "t")
    assert again.counts().waiting == 20
    (claim,) = again.claim(9, now)
    again.manners.met([contact(claim.url, now, 0)])
    assert again.next_due(now) is None  # one chance, not five


def test_a_host_that_stays_away_rests_over_starts(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each start with a day between: asked on days 0, 1, 2, 4, 8. A seed's host, and one that answers, are not held
    back."""
    day = 0
    monkeypatch.setattr("crawler.frontier.frontier.wall_time", lambda: day * DAY)
    open_frontier(database, {a(1): 1.0, b(1): 0.5})
    asked = []
    for day in range(9):
        frontier = Frontier(database, "t")
        frontier.manners.met([contact(b(1), day * DAY)])  # another host answers: it is not our network
        for number in range(MAX_HOST_FAILURES):
            now = day * DAY + 60.0 * number
            claims = [claim for claim in frontier.claim(9, now) if claim.url == a(1)]
            frontier.manners.met([contact(claim.url, now, 502) for claim in claims])
            frontier.release(claims)
            asked += [day] * (claims != [] and day not in asked)
    assert asked == [0, 1, 2, 4, 8]
    assert urls(Frontier(database, "t").claim(9, day * DAY + 3600)) == [b(1)]
    again = Frontier(database, "t")
    again.manners.give_a_chance(day * DAY, [netloc(a(1))])
    assert a(1) in urls(again.claim(9, day * DAY + 3600))


@pytest.mark.parametrize(
    ("robots", "proven", "others_answer", "asked"),
    [
        (False, False, True, 2),  # has never answered
        (True, False, True, MAX_HOST_FAILURES),
        (False, True, True, MAX_HOST_FAILURES),
        (False, False, False, MAX_HOST_FAILURES),  # the trouble may be our own
    ],
)
def test_a_host_that_has_never_answered_is_asked_twice(
    database: Database, robots: bool, proven: bool, others_answer: bool, asked: int
) -> None:
    frontier = Frontier(database, "t")
    frontier.add([NewUrl(a(n), 1.0, depth=0 if proven else 1) for n in range(9)] + [NewUrl(b(1), 2.0)], now=0)
    if robots:
        with database.transaction() as connection:
            side_files.keep(connection, "a.example", "/robots.txt", SideFile(a(0), 404, b"", 100.0))
    frontier.end(frontier.claim(1, 0))
    frontier.manners.met([contact(b(1), 0, 200 if others_answer else 0)])
    now, times = 1.0, 0
    while claims := frontier.claim(1, now):
        assert frontier.manners.strangers({"a.example"}) == ({"a.example"} if asked == 2 else set())
        frontier.end(claims)
        frontier.manners.met([contact(claim.url, now, 502) for claim in claims])
        times, now = times + 1, now + 60
    assert times == asked
    assert frontier.counts().given_up == 9 - asked, "nothing is lost"


def test_where_no_host_may_be_asked_for_robots_txt(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0, b(1): 0.5}, hosts_at_once=1)
    with database.transaction() as connection:
        side_files.keep(connection, "b.example", "/robots.txt", SideFile(b(0), 404, b"", 100.0))
    assert urls(frontier.claim(9, 99.0, Allowance(asks=False))) == [b(1)]
    assert frontier.next_due(99.0, Allowance(asks=False)) is None, "it must not wait for the other host"
    assert frontier.next_due(99.0) == 0.0
    assert urls(frontier.claim(9, 99.0)) == [a(1)]


@pytest.mark.parametrize(
    ("hosts", "given_up"),
    [
        (["a.example"] * 6, True),
        ([f"h{n}.a.example" for n in range(6)], True),  # a registered domain of ever new hosts
        ([f"h{n}.a.example" for n in range(5)], False),
        ([f"a{n}.example" for n in range(6)], False),
    ],
)
def test_pages_that_take_the_analysis_too_long_give_host_and_domain_up(
    database: Database, hosts: list[str], given_up: bool
) -> None:
    frontier = open_frontier(database, {f"https://{host}/x": 1.0 for host in hosts})
    for host in hosts:
        frontier.manners.met([Contact(host, 1, 200, costly=True)])
    assert frontier.counts().given_up == given_up


@pytest.mark.parametrize(("between", "due"), [(404, None), (301, None), (200, 0.0)])
def test_a_host_that_has_none_of_its_pages_is_given_up(database: Database, between: int, due: float | None) -> None:
    frontier = open_frontier(database, {a(n): 1.0 for n in range(3)})
    answers = [404] * MOST_MISSES + [between, 404]
    frontier.manners.met([contact(a(0), at, status) for at, status in enumerate(answers)])
    assert frontier.next_due(len(answers)) == due


def test_a_success_forgets_failures(database: Database) -> None:
    frontier = open_frontier(database, {a(n): 1.0 for n in range(3)})
    (claim,) = frontier.claim(1, now=0)
    frontier.end([claim])
    frontier.manners.met([contact(a(0), 0, 0), contact(a(0), 1, 200)])
    assert frontier.next_due(1) == 0


def test_no_host_starves(database: Database) -> None:
    scores = {f"https://rich{host}.example/{n}": 1.0 for host in range(4) for n in range(200)}
    scores |= {f"https://poor{host}.example/": 0.0 for host in range(10)}
    frontier = open_frontier(database, scores)
    served: list[str] = []
    for step in range(160):
        claims = frontier.claim(4, now=float(step))
        served += urls(claims)
        frontier.end(claims)
    of_block = [served[start : start + FAIR_EVERY] for start in range(0, 600, FAIR_EVERY)]
    poor = [sum("poor" in url for url in block) for block in of_block]
    assert sum(poor) == 10
    assert all(poor[:10])  # one in each fifty
    rich = Counter(netloc(url) for url in served if "rich" in url)
    assert max(rich.values()) - min(rich.values()) <= 12


def test_the_longest_waiting_host_is_served_under_a_clock_that_stands_still(database: Database) -> None:
    scores = {f"https://h{host}.example/{n}": -host for host in range(5) for n in range(300)}
    frontier = open_frontier(database, {url: float(score) for url, score in scores.items()})
    hosts = Counter()
    for _ in range(FAIR_EVERY * 8):
        claims = frontier.claim(1, now=1)
        hosts[netloc(claims[0].url)] += 1
        frontier.end(claims)
    assert len(hosts) == 5


def test_lost_leases_come_back(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0, b(1): 0.5}, lease_seconds=120)
    assert len(frontier.claim(9, now=0)) == 2
    assert frontier.next_due(0) is None  # nothing waits
    assert frontier.counts().leased == 2
    assert frontier.claim(9, now=119) == []
    assert urls(frontier.claim(9, now=120)) == [a(1), b(1)]


def test_full_host_is_due_when_its_lease_ends(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0, a(2): 0.5}, lease_seconds=120)
    frontier.claim(9, now=0)
    assert frontier.next_due(20) == 100


ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@ON_SQLITE
def test_reopening_returns_what_was_in_flight(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0, b(1): 0.5})
    claimed = frontier.claim(9, now=0)
    assert Frontier(database, "t").claim(9, now=1) == claimed


def test_release(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0, b(1): 0.5})
    claims = frontier.claim(9, now=0)
    frontier.end(claims[:1])
    frontier.release(claims)
    assert frontier.counts() == Counts(waiting=1, leased=0, done=1, given_up=0)
    assert urls(frontier.claim(9, now=0)) == [b(1)]


def test_ended_urls_never_come_back(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0})
    (claim,) = frontier.claim(9, now=0)
    assert set(frontier.pending([claim])) == {claim.id}
    frontier.end([claim])
    frontier.end([claim])
    frontier.rescore({a(1): 5.0})
    assert frontier.add([NewUrl(a(1), 9.0)], now=0) == 0
    assert frontier.seed([a(1)], now=0) == 0
    assert not frontier.pending([claim])
    assert frontier.claim(9, now=1e9) == []
    assert frontier.counts() == Counts(waiting=0, leased=0, done=1, given_up=0)
    assert frontier.next_due(0) is None


def test_rescore(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 0.1, a(2): 0.2, b(1): 0.3}, per_host=9)
    frontier.rescore({a(1): 0.9, b(1): 0.0, "https://unknown.example/": 1.0})
    assert [(claim.url, claim.score) for claim in frontier.claim(9, now=0)] == [(a(1), 0.9), (a(2), 0.2), (b(1), 0.0)]


def test_rescored_in_flight_keeps_its_score_when_it_comes_back(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 0.1, b(1): 0.3})
    claims = frontier.claim(9, now=0)
    frontier.rescore({a(1): 0.9})
    frontier.release(claims)
    assert urls(frontier.claim(9, now=0)) == [a(1), b(1)]


def test_found_again(database: Database) -> None:
    frontier = Frontier(database, "t")
    frontier.add([NewUrl(a(1), 0.5, depth=3, distance=2, hops=1, via=7)], now=0)
    assert frontier.add([NewUrl(a(1), 0.2, depth=4, distance=0)], now=0) == 0
    assert frontier.add([NewUrl(a(1), 0.9, depth=1, distance=9)], now=0, improve=False) == 0
    (claim,) = frontier.claim(1, now=0)
    assert (claim.score, claim.depth, claim.distance, claim.hops) == (0.2, 3, 0, 1)


def test_merged_keeps_the_first_place_and_the_last_score() -> None:
    found = [NewUrl(a(1), 0.1, 5, 0, via=1), NewUrl(b(1), 0.2), NewUrl(a(1), 0.3, 2, 4, via=2)]
    assert merged(found) == [NewUrl(a(1), 0.3, 2, 0, via=1), NewUrl(b(1), 0.2)]


def test_merged_keeps_the_score_of_news() -> None:
    """A page that is visited again tells of a new link, and a page that is visited for the first time shows it too."""
    news, link = NewUrl(a(1), 700.0, 2, 1, via=1, pinned=True), NewUrl(a(1), 0.2, 1, 1, via=2)
    assert merged([news, link]) == merged([link, news]) == [news._replace(depth=1)]


def test_topics_do_not_share_urls(database: Database) -> None:
    frontier, other = open_frontier(database, {a(1): 0.1}), Frontier(database, "other")
    assert other.claim(1, now=0) == []
    assert other.seed([a(1)], now=0) == 1
    assert frontier.counts() == other.counts() == Counts(1, 0, 0, 0)


def test_claim_of_nothing(database: Database) -> None:
    frontier = Frontier(database, "t")
    assert frontier.claim(5, now=0) == []
    assert frontier.claim(0, now=0) == []
    assert frontier.next_due(0) is None
    frontier.release([])
    frontier.manners.met([])


def test_names_of_hosts_are_not_trusted_after_a_rollback(database: Database) -> None:
    frontier = Frontier(database, "t")
    with pytest.raises(StoreError), database.transaction():
        frontier.seed([a(1)], now=0)
        raise StoreError
    frontier.seed([b(1), a(1)], now=0)
    assert urls(frontier.claim(9, now=0)) == [b(1), a(1)]


def test_more_than_a_chunk(database: Database) -> None:
    frontier = Frontier(database, "t", per_host=3000)
    addresses = [a(n) for n in range(1200)]
    assert frontier.seed(addresses, now=0) == 1200
    frontier.rescore({url: float(n) for n, url in enumerate(addresses)})
    claims = frontier.claim(1200, now=0)
    assert sorted(urls(claims)) == sorted(addresses)
    frontier.end(claims)
    assert frontier.counts() == Counts(0, 0, 1200, 0)


def test_a_retry_that_comes_after_its_lease_counts_once(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 1.0, a(2): 2.0}, lease_seconds=10)
    (late,) = frontier.claim(1, now=0)
    frontier.rescore({a(2): 0.0})
    assert urls(frontier.claim(1, now=10)) == [a(1)]  # the lease of a(2) has ended, it waits again
    frontier.retry([late], now=11)
    assert frontier.counts() == Counts(waiting=1, leased=1, done=0, given_up=0)


def test_changes_made_together_are_those_made_one_by_one(database: Database) -> None:
    states = []
    for name in ("one by one", "together"):
        frontier = Frontier(database, name, per_host=4)  # what one topic has under way counts for the other
        frontier.add([NewUrl(url, 0.5) for url in (a(1), a(2), b(1), b(2))], now=0)
        claims = frontier.claim(2, now=0)
        with frontier.together() if name == "together" else nullcontext():
            frontier.add([NewUrl(a(3), 0.7), NewUrl(b(3), 0.1), NewUrl("https://c.example/", 0.2)], now=0)
            frontier.rescore({a(2): 0.9})
            frontier.end(claims[:1])
            frontier.retry(claims[1:], now=0)
        with database.transaction() as connection:
            columns = (queues.c.host_id, queues.c.best_score, queues.c.waiting, queues.c.done)
            query = select(*columns).where(queues.c.topic_id == frontier.topic_id).order_by(queues.c.host_id)
            states.append([tuple(row) for row in connection.execute(query)])
    assert states[0] == states[1]
    assert [row[2:] for row in states[0]] == [(2, 1), (3, 0), (1, 0)]


def test_together_and_failing_changes_nothing(database: Database) -> None:
    frontier = open_frontier(database, {a(1): 0.5})
    with pytest.raises(ZeroDivisionError), frontier.together():
        frontier.add([NewUrl(a(2), 0.9)], now=0)
        raise ZeroDivisionError
    frontier.rescore({a(1): 0.4})
    assert frontier.counts().waiting == 1
    assert urls(frontier.claim(9, now=0)) == [a(1)]
