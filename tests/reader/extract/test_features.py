"""What the features of blocks say, on small pages of our own: one page, the columns it is about, their values."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.html.page import Page

TEXT = "桥头的面馆今年换了招牌，老板说旧的那块用了二十六年，字早就看不清了，他还是收在后院里。"
TAGS = ["<div>", "</div>", "<ul>", "<li class=x>", "</ul>", "<p>", "<a href=/>", "</a>", "<br>", "字，", "2019-01-02 "]


def read(markup: str, title: str = "") -> tuple[BlockTable, dict[str, np.ndarray]]:
    table = block_table(read_blocks(Page(markup)), title)
    assert len(set(table.names)) == len(table.names) == table.matrix.shape[1]
    return table, dict(zip(table.names, table.matrix.T, strict=True))


def test_densities() -> None:
    _, of = read("<p><a href=/>一二三四</a>五，六。</p>")
    assert np.expm1(of["size"][0]) == pytest.approx(8)
    assert np.expm1(of["tokens"][0]) == pytest.approx(6)
    assert of["linked"][0] == pytest.approx(0.5)
    assert of["marks"][0] == pytest.approx(2 / 8)
    assert np.expm1(of["commas"][0]) == pytest.approx(1)
    assert of["stop"][0] == 1


def test_class_words_of_the_block_its_elements_and_all_around() -> None:
    _, of = read("<div class=sidebar><div class=x><div class=x><ul><li>一</ul></div></div></div><p class=nav>二</p>")
    assert of["near_side"].tolist() == [0, 0]
    assert of["above_side"].tolist() == [1, 0]
    assert of["near_menu"].tolist() == [0, 1]
    assert of["in_ul"].tolist() == [1, 0]
    assert (of["tag_li"].tolist(), of["tag_p"].tolist()) == ([1, 0], [0, 1])


def test_words_in_the_text() -> None:
    _, of = read("<p>版权所有</p><p>Copyright reserved</p><p>网友评论</p>")
    assert of["text_rights"].tolist() == [1, 1, 0]
    assert of["text_comment"].tolist() == [0, 0, 1]


def test_blocks_of_one_path_are_a_cluster() -> None:
    _, of = read("<div><p class=a>一二</p><p class=b>三四</p><p class=b>五六</p></div><span>七八</span>")
    assert np.expm1(of["path_members"]).round().tolist() == [3, 3, 3, 1]
    assert np.expm1(of["style_members"]).round().tolist() == [1, 2, 2, 1]
    assert np.expm1(of["kind_members"]).round().tolist() == [1, 2, 2, 1]


@given(st.lists(st.sampled_from(TAGS), min_size=1, max_size=60))
def test_features_are_numbers(pieces: list[str]) -> None:
    blocks = read_blocks(Page("".join(pieces)))
    if blocks.texts:
        table = block_table(blocks, "字")
        assert table.matrix.shape[0] == len(blocks.texts)
        assert table.matrix.dtype == np.float32
        assert np.isfinite(table.matrix).all()
