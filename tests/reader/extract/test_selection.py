import numpy as np
from hypothesis import given, strategies as st

from crawler.reader.extract.selection import select


def test_the_cut_falls_where_the_expected_f1_is_best() -> None:
    chance = np.array([0.9, 0.1, 0.4, 0.8], np.float32)
    taken, promised = select(chance, np.array([100, 100, 100, 100], np.float32))
    # taking the first and the last: 2 * 170 / (200 + 220); with the third: 2 * 210 / (300 + 220)
    assert taken.tolist() == [True, False, False, True]
    assert promised == np.float32(2 * 170 / 420)


def test_a_page_of_doubt_is_cut_below_a_half() -> None:
    taken, _ = select(np.full(10, 0.4, np.float32), np.full(10, 50, np.float32))
    assert taken.all()


def test_hidden_keywords_do_not_outweigh_a_page() -> None:
    taken, _ = select(np.array([0.9, 0.06], np.float32), np.array([1000, 1e6], np.float32))
    assert taken.tolist() == [True, False]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5000)), min_size=1, max_size=50))
def test_something_is_taken_and_the_promise_is_an_f1(blocks: list[tuple[float, int]]) -> None:
    chance, size = np.array(blocks, np.float32).T
    taken, promised = select(chance, size)
    assert taken.any()
    assert 0 <= promised <= 1.0001
    if not taken.all():
        assert chance[taken].min() >= chance[~taken].max()
