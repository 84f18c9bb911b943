"""Which pages are asked about, and what the answers let expect."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given, strategies as st

from crawler.labels.ranked import FIRST, Judged
from zhuti.label.expected import BINS, Sizes, expected, lacks_answers_near
from zhuti.label.questions import BEST, NEAR, OF_A_HOST, OVER_THE_RANGE, ROUND, Candidate, questions


def pages(hosts: int, each: int) -> list[Candidate]:
    total = hosts * each
    return [
        Candidate(f"https://h{host}.example/{n}", f"h{host}.example", f"{host}-{n}", 0.98 * (n * hosts + host) / total)
        for host, n in product(range(hosts), range(each))
    ]


def counted(judged: list[Judged]) -> tuple[Sizes, list[Judged]]:
    sizes = Counter((int(page.similarity * BINS), page.is_kept) for page in judged)
    return sizes, [page for page in judged if page.answer is not None]


def test_first_the_whole_range_and_near_the_threshold() -> None:
    asked = questions(pages(40, 50), 0.3, 0)
    assert Counter(question.why for question in asked) == {NEAR: FIRST // 2, OVER_THE_RANGE: FIRST // 2}
    assert [question.why for question in asked[:4]] == [NEAR, OVER_THE_RANGE] * 2, "from the first answers on"
    chosen = [question.candidate.similarity for question in asked if question.why == OVER_THE_RANGE]
    assert max(chosen) > 0.97 and min(chosen) < 0.08


def test_one_after_the_other_as_on_the_board() -> None:
    """There a round is made anew after each answer: what is left falls, and both kinds are asked about in turn."""
    unknown, asked, wide = pages(40, 50), [], []
    for answered in range(FIRST + ROUND):
        round_ = questions(unknown, 0.3, answered)
        left = FIRST - answered if answered < FIRST else FIRST + ROUND - answered
        assert len(round_) == left
        asked.append(round_[0].why)
        wide += [round_[0].candidate.similarity] if asked[-1] == OVER_THE_RANGE else []
        unknown.remove(round_[0].candidate)
    assert len({round(similarity, 1) for similarity in wide}) > 3 and min(wide) < 0.08 and max(wide) > 0.97
    assert Counter(asked) == {NEAR: 15, OVER_THE_RANGE: FIRST // 2, BEST: ROUND // 2}


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


def test_nothing_is_promised_by_the_most_similar_pages_alone() -> None:
    top = [Judged(0.9, True, True if n < 15 else None) for n in range(40)]
    rest = [Judged(0.35, True, None) for _ in range(100)]
    assert expected(*counted([*top, *rest])) is None
    assert lacks_answers_near(*counted([*top, *rest]))
    asked = [Judged(0.35, True, n % 2 == 0 if n < 6 else None) for n in range(100)]
    found = expected(*counted([*top, *asked]))
    assert found is not None and found.precision.value < 0.8
    assert not lacks_answers_near(*counted([*top, *asked]))
    assert not lacks_answers_near(*counted(rest)), "nobody has answered: there is nothing to say"
