"""Short blocks that give away what is around them, on small pages of our own."""

import numpy as np
import pytest

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.html.page import Page

TEXT = "桥头的面馆今年换了招牌，老板说旧的那块用了二十六年，字早就看不清了，他还是收在后院里。"


def read(markup: str, title: str = "") -> tuple[BlockTable, dict[str, np.ndarray]]:
    table = block_table(read_blocks(Page(markup)), title)
    assert len(set(table.names)) == len(table.names) == table.matrix.shape[1]
    return table, dict(zip(table.names, table.matrix.T, strict=True))


@pytest.mark.parametrize(
    ("text", "stamped"),
    [
        ("2019-03-08 10:22", 1),
        ("3月8日", 1),
        ("两小时前", 1),
        ("Jan 5", 1),
        ("第三章", 0),
        ("共 12 页", 0),
        (TEXT * 2 + "10:22", 0),
    ],
)
def test_stamps(text: str, stamped: int) -> None:
    assert read(f"<p>{text}</p>")[1]["stamp"].tolist() == [stamped]


def test_distance_to_the_line_that_heads_comments() -> None:
    _, of = read(f"<p>{TEXT}</p><p>{TEXT}！</p><h3>网友评论</h3><p>{TEXT}？</p>")
    assert np.expm1(of["until_comment"]).round().tolist() == [2, 1, 0, 50]
    assert np.expm1(of["since_comment"]).round().tolist() == [50, 50, 50, 1]


def test_what_is_told_twice_and_what_breaks_off() -> None:
    _, of = read("<p>回复</p><p>一</p><p>回复</p><p>回复</p><p>桥头的面馆今年换了…</p>")
    assert np.expm1(of["told_twice"]).round().tolist() == [2, 0, 2, 2, 0]
    assert of["teaser"].tolist() == [0, 0, 0, 0, 1]
