"""The way to the content, and example D8 of papers.md 6.2."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from crawler.reader.html.page import Page
from crawler.reader.papers.outline import Outline
from crawler.reader.papers.tree_path import READING, entropy_weights, goes_down, importance, pruned_text, tree_path

SENTENCE = "雨停以后，院子里的孩子们又跑了出来，踩着水洼追一只皮球。"
MENU = "<title>雨</title><div class=menu><a href=/>首页</a><ul><li>新闻</li></ul></div><h1>雨</h1>"
D8 = np.array([[900.0, 600, 800], [60, 300, 400], [40, 300, 200]])  # text, width, height of three children
SHAPES = array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6)
VALUES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 999).map(float)))


def page(text: str, note: str = "编者的话，供参考。") -> str:
    return f"{MENU}<div id=main><h2>小标题</h2><p>{text}</p><p>{SENTENCE}</p></div><div id=note>{note}</div>"


def test_noise_nodes_are_left_out_while_the_way_is_sought() -> None:
    outline = Outline.of(Page(page(SENTENCE)), READING)
    text = pruned_text(outline)
    menu = next(place for place, node in enumerate(outline.nodes) if node.element.get("class") == "menu")
    assert text[menu] == 0
    assert text[0] == 1 + 2 * len(SENTENCE) + len("编者的话，供参考。")


def test_headings_stay_in_the_text() -> None:
    assert tree_path(Page(page(SENTENCE))).body == f"小标题\n{SENTENCE}\n{SENTENCE}"


def test_d8_entropy_weights() -> None:
    entropy, weights = entropy_weights(D8)
    assert entropy == pytest.approx([0.357163, 0.946395, 0.869916], abs=1e-6)
    assert weights == pytest.approx([0.777757, 0.064856, 0.157387], abs=1e-6)


def test_d8_goes_down_to_the_first_child() -> None:
    ipt = importance(D8)
    assert ipt == pytest.approx([0.822345, 0.107847, 0.069808], abs=1e-6)
    assert goes_down(ipt)


def test_d8_stops_above_even_children() -> None:
    assert not goes_down(np.array([0.36, 0.33, 0.31]))


def test_of_many_children_one_may_stand_out() -> None:
    assert goes_down(np.array([0.92] + [0.01] * 8))


def test_one_child_is_entered_without_a_test() -> None:
    assert goes_down(importance(np.array([[0.0]])))


@given(values=VALUES)
def test_importances_are_shares(values: np.ndarray) -> None:
    _, weights = entropy_weights(values)
    ipt = importance(values)
    assert weights.sum() == pytest.approx(1)
    assert (ipt >= 0).all()
    assert ipt.sum() <= 1 + 1e-9
