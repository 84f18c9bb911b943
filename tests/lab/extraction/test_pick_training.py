import numpy as np
import pytest

from crawler.errors import ModelError
from lab.extraction.pick_training import Election, fit_pick

RANDOM = np.random.default_rng(3)


def election(right: int, candidates: int = 4) -> Election:
    """The right candidate has the greatest first feature of its page; the second one is noise."""
    matrix = RANDOM.normal(0, 1, (candidates, 2)).astype(np.float32)
    matrix[:, 0] = RANDOM.uniform(0, 5) - 1
    matrix[right, 0] += 1
    return Election(matrix, np.arange(candidates) == right, 1.0)


def test_candidates_are_held_against_each_other_not_against_other_pages() -> None:
    net = fit_pick([election(number % 4) for number in range(200)], seed=1)
    assert all(int(net.chance(page.matrix).argmax()) == page.right.argmax() for page in map(election, range(4)))


def test_none_may_be_it() -> None:
    pages = []
    for number in range(120):
        right = np.array([number % 2 == 0, False])
        matrix = np.array([[3.0 if right[0] else 0.0, 1.0], [0.0, 0.0]], np.float32)
        pages.append(Election(matrix, right, 1.0))
    net = fit_pick(pages, seed=1, abstain=True)
    assert net.chance(pages[0].matrix).max() > 0.5
    assert net.chance(pages[1].matrix).max() < 0.5


def test_the_same_seed_gives_the_same_networks() -> None:
    pages = [election(number % 4) for number in range(20)]
    assert np.array_equal(fit_pick(pages, 1).inner, fit_pick(pages, 1).inner)
    assert not np.array_equal(fit_pick(pages, 1).inner, fit_pick(pages, 2).inner)


@pytest.mark.parametrize("pages", [[], [Election(np.ones((2, 2), np.float32), np.zeros(2, np.bool_), 1.0)]])
def test_nothing_to_learn_from(pages: list[Election]) -> None:
    for abstain in (False, True):
        with pytest.raises(ModelError, match="label `title` and `published`"):
            fit_pick(pages, 1, abstain)
