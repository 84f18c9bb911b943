"""Where a block stands, on small pages of our own."""

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


def test_the_heading_that_repeats_the_title() -> None:
    table, of = read(f"<p>桥头的面馆换招牌</p><h1>桥头的面馆换招牌</h1><p>{TEXT}</p>", "桥头的面馆换招牌_某某网")
    assert table.title_row == 1
    assert of["is_title"].tolist() == [0, 1, 0]
    assert of["from_title"][0] == pytest.approx(-np.log(2))
    assert read("<p>一</p>", "别的")[0].title_row == -1


def test_places() -> None:
    _, of = read(f"<p>一</p><p>{TEXT}</p><p>二</p><p>三</p>")
    assert of["row"].tolist() == [0, 0.25, 0.5, 0.75]
    assert of["before"][0] == 0
    assert of["before"][3] > 0.9
    assert of["size_before"].tolist() == [-1, *of["size"][:-1].tolist()]  # there is no block before the first
    assert of["size_behind"].tolist() == [*of["size"][1:].tolist(), -1]
