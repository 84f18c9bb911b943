"""No registered domain takes all of the analysis."""

import pytest

from crawler.crawl.pool import HURRIED, HURRIED_TIMES, Shares
from crawler.frontier.politeness import COSTLY, MOST_MISSES

ANY = 20.0  # seconds that any page may take


def shares(*taken: tuple[str, int, float]) -> Shares:
    found = Shares()
    for domain, pages, seconds in taken:
        for _ in range(pages):
            found.took(domain, seconds, costly=False)
    return found


TESTS = [
    ([], ["a.cn", "b.cn"], ANY),  # nothing is known
    ([("a.cn", 3, 15.0), ("b.cn", 50, 0.1)], ["a.cn", "b.cn"], HURRIED),  # dear, and others wait
    ([("a.cn", 3, 15.0), ("b.cn", 50, 0.5)], ["a.cn", "b.cn"], 0.5 * HURRIED_TIMES),  # a slow machine
    ([("a.cn", 3, 15.0), ("b.cn", 50, 0.1)], ["a.cn"], ANY),  # no other waits
    ([("a.cn", 900, 0.1), ("b.cn", 50, 0.1)], ["a.cn", "b.cn"], ANY),  # a large site, not a dear one
    ([("a.cn", 1, 1.0), ("b.cn", 90, 0.1)], ["a.cn", "b.cn"], ANY),  # one dear page in a small share
]


@pytest.mark.parametrize(("taken", "waiting", "expected"), TESTS)
def test_patience(taken: list[tuple[str, int, float]], waiting: list[str], expected: float) -> None:
    found = shares(*taken)
    for domain in waiting:
        found.wait(domain)
    assert found.patience("a.cn", ANY) == pytest.approx(expected)
    assert found.patience("b.cn", ANY) == ANY


def test_a_domain_of_costly_pages_is_refused_and_good_pages_count_against_them() -> None:
    found = Shares()
    many = MOST_MISSES // COSTLY + 1
    for _ in range(many):
        assert found.patience("a.cn", ANY) == ANY
        found.took("a.cn", ANY, costly=True)
    assert found.patience("a.cn", ANY) == 0.0 and found.patience("b.cn", ANY) == ANY
    good = shares(("a.cn", many * COSTLY, 0.1))
    for _ in range(many):
        good.took("a.cn", ANY, costly=True)
    assert good.patience("a.cn", ANY) == ANY


def test_a_job_that_is_done_waits_no_more() -> None:
    found = shares(("a.cn", 3, 15.0), ("b.cn", 50, 0.1))
    found.wait("a.cn")
    found.wait("b.cn")
    found.done("b.cn")
    assert found.patience("a.cn", ANY) == ANY
