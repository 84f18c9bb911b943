"""Siblings that are alike, and the strongest of those around."""

import numpy as np
from hypothesis import given, strategies as st

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.characters import count_letters
from crawler.reader.extract.feature_table import read_frame
from crawler.reader.extract.repetition import siblings, strongest
from crawler.reader.html.page import Page


def test_siblings_of_one_look_or_one_tag_are_a_group() -> None:
    markup = "<div><p class=say>一</p><p class=say>二</p><p>三</p></div><p>四</p>"
    blocks = read_blocks(Page(f"<html><body>{markup}"))
    alike = siblings(read_frame(blocks, count_letters(blocks.texts, "")))
    rows = [row for row, tag in enumerate(blocks.tags) if tag == "p"]
    look, tag = alike.of.reshape(2, -1)[:, rows]
    assert look[0] == look[1]
    assert len({*look.tolist(), *tag.tolist()}) == 5  # one and two; three; four; one to three by tag; four by tag
    assert alike.members[tag].tolist() == [3, 3, 3, 1]
    assert alike.index.reshape(2, -1)[1, rows].tolist() == [0, 1, 2, 0]


def test_the_strongest_repetition_around_an_element() -> None:
    #       0 - 1 - 2 - 3
    #        \\- 4
    strength = np.array([1.0, 5.0, 5.0, 2.0, 0.5])
    assert strongest(strength, np.array([0, 0, 1, 2, 0])).tolist() == [0, 1, 2, 2, 0]  # the inner one of equals


@given(st.lists(st.floats(0, 9), min_size=1, max_size=40), st.randoms())
def test_the_strongest_is_found_at_any_depth(strength: list[float], random: object) -> None:
    parents = [0] + [random.randrange(row) for row in range(1, len(strength))]  # type: ignore[attr-defined]
    best = [0] * len(strength)
    for row in range(1, len(strength)):
        outer = best[parents[row]]
        best[row] = row if strength[row] >= strength[outer] else outer
    assert strongest(np.array(strength), np.array(parents)).tolist() == best
