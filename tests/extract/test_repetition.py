"""What is told of siblings that are alike, on small pages of our own."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.blocks import read_blocks
from crawler.extract.features import Page, describe
from crawler.extract.repetition import strongest
from crawler.html.tree import parse

TEXT = "桥头的面馆今年换了招牌，老板说旧的那块用了二十六年，字早就看不清了，他还是收在后院里。"


def read(markup: str, title: str = "") -> tuple[Page, dict[str, np.ndarray]]:
    page, names = describe(read_blocks(parse(markup)), title)
    assert len(set(names)) == len(names) == page.matrix.shape[1]
    return page, dict(zip(names, page.matrix.T, strict=True))


def posts(count: int) -> str:
    """Threads: each post with a name, an hour and a text."""
    return "".join(
        f"<div class=post><div class=author>用户{n}</div><div class=when>10:2{n}</div><div class=say>{TEXT}</div></div>"
        for n in range(count)
    )


def test_posts_are_told_by_names_and_hours_in_each() -> None:
    page, of = read(f"<h1>面馆换招牌</h1><div>{posts(4)}</div>")
    text = [row for row, block in enumerate(page.blocks.texts) if block == TEXT]
    assert np.expm1(of["kin_count"][text]).round().tolist() == [4] * 4
    assert (
        of["kin_stamped"][text].tolist() == of["kin_named"][text].tolist() == of["kin_told"][text].tolist() == [1] * 4
    )
    assert np.expm1(of["kin_index"][text]).round().tolist() == [0, 1, 2, 3]
    _, plain = read("<div>" + f"<p>{TEXT}</p>" * 4 + "</div>")
    assert plain["kin_stamped"].tolist() == plain["kin_named"].tolist() == [0] * 4


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
