"""Example E3 of papers.md 7.4."""

import numpy as np
import pytest

from crawler.reader.html.page import Page
from crawler.reader.papers.answer import Headline
from crawler.reader.papers.fused.node_features import CLEANING, FEATURES, NTP, TP, NodeTable, node_table, title_words
from crawler.reader.papers.outline import Outline

TEXT = "今天，专车改革。专车来了！"


def table_of(markup: str, title: str = "") -> tuple[Outline, NodeTable]:
    page = Page(markup)
    block = next(iter(page.tree.iter("h1")), None)
    outline = Outline.of(page, CLEANING)
    return outline, node_table(outline, Headline(title, None, block))


def test_e3_node_features() -> None:
    assert title_words(TEXT, ["专车", "改革"]) == 3
    _, table = table_of(f"<h1>专车改革</h1><p>{TEXT}</p>", "专车改革")
    length, marks, _, words, sentence = table.features[-1, :5]
    assert (length, marks, words) == (13, 3, 3)
    assert sentence == pytest.approx(4.3333, abs=1e-4)


def test_without_punctuation_a_sentence_is_the_whole_text() -> None:
    _, table = table_of("<p>天气预报</p>")
    assert table.features[0, 4] == 4


def test_distance_counts_the_elements_without_text_between() -> None:
    """The source's own example: between li and a lies p."""
    page, table = table_of("<ul><li>字</li></ul><p><a href=x>链接</a></p>")
    assert [page.nodes[node].tag for node in table.nodes] == ["li", "a"]
    assert table.features[1, 2] == 1
    assert (np.cumsum(table.features[:, 2] + 1) - 1).tolist() == table.nodes.tolist()


def test_tags_and_sides_are_one_hot() -> None:
    _, table = table_of("<p>前</p><h1>题目</h1><div>后<a href=x>链</a></div>", "题目")
    assert table.features.shape == (4, FEATURES)
    assert [int(np.argmax(row[5:8])) + 5 for row in table.features] == [TP["D"], TP["S"], TP["D"], TP["A"]]
    assert [int(np.argmax(row[8:])) + 8 for row in table.features] == [NTP["U"], NTP["B"], NTP["D"], NTP["D"]]


def test_without_a_title_all_is_below_it() -> None:
    _, table = table_of("<p>前，后</p><p>中</p>")
    assert (table.features[:, NTP["D"]] == 1).all()
    assert (table.features[:, 3] == 0).all()
