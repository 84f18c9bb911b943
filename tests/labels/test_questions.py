"""Which pages are asked about, and what the answers let expect."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given, strategies as st

from crawler.labels.expected import BINS, Judged, Sizes, expected
from crawler.labels.questions import BEST, FIRST, NEAR, OF_A_HOST, ROUND, Candidate, questions


def pages(hosts: int, each: int) -> list[Candidate]:
    total = hosts * each
    return [
        Candidate(f"https://h{host}.example/{n}", f"h{host}.example", f"{host}-{n}", 0.98 * (n * hosts + host) / total)
        for host, n in product(range(hosts), range(each))
    ]


def counted(judged: list[Judged]) -> tuple[Sizes, list[Judged]]:
    sizes = Counter((int(page.similarity * BINS), page.is_kept) for page in judged)
    return sizes, [page for page in judged if page.answer is not None]


def test_first_the_whole_range() -> None:
    chosen = [question.candidate.similarity for question in questions(pages(40, 50), 0.3, 0)]
    assert len(chosen) == FIRST
    assert max(chosen) > 0.97 and min(chosen) < 0.08
    assert 3 <= sum(value < 0.3 for value in chosen) <= 17


def test_then_half_near_the_threshold_and_half_the_best() -> None:
    chosen = questions(pages(40, 50), 0.3, FIRST)
    assert Counter(question.why for question in chosen) == {NEAR: ROUND // 2, BEST: ROUND // 2}
    assert all(abs(question.candidate.similarity - 0.3) < 0.01 for question in chosen if question.why == NEAR)


def test_nearly_the_same_title_is_asked_about_once() -> None:
    series = [Candidate(f"https://{n}.example/", f"{n}.example", f"爬虫入门教程 第{n}课", 0.9) for n in range(9)]
    assert len(questions(series, 0.3, FIRST)) == 1


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 0.999)), max_size=60), st.integers(0, 40))
def test_no_page_twice_and_few_of_a_host(drawn: list[tuple[int, float]], answered: int) -> None:
    found = [Candidate(f"https://h{host}.example/{n}", f"h{host}", str(n), s) for n, (host, s) in enumerate(drawn)]
    chosen = [question.candidate for question in questions(found, 0.3, answered)]
    assert len({page.url for page in chosen}) == len(chosen) <= max(FIRST, ROUND)
    assert max(Counter(page.host for page in chosen).values(), default=0) <= OF_A_HOST


def test_answers_stand_for_the_pages_like_them() -> None:
    """Half of 900 little similar kept pages belong to the topic, all of the 100 best; a tenth of 1,000 dropped ones."""
    best = [Judged(0.9, True, True if n < 50 else None) for n in range(100)]
    rest = [Judged(0.5, True, n % 2 == 0 if n < 60 else None) for n in range(900)]
    dropped = [Judged(0.2, False, n % 10 == 0 if n < 40 else None) for n in range(1000)]
    found = expected(*counted([*best, *rest, *dropped]))
    assert found is not None
    assert abs(found.precision.value - 0.55) < 0.05
    assert abs(found.recall.value - 550 / 650) < 0.05
    for share in (found.precision, found.recall):
        assert 0 < share.low < share.value < share.high < 1
    assert expected(*counted(dropped)) is None
