"""Examples A1 and A4 of papers.md 2, and its test checklist."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.page import Page
from crawler.reader.papers.density_svm import (
    CLEANING,
    CONTAINERS,
    densities,
    inner_paragraphs,
    region_density,
    text_blocks,
)
from crawler.reader.papers.outline import Outline

MARKUP = "<div> </div> <p> <b> <table><tr><td> <li> </a> 首页 天气，很好。 plain <br>"
PIECES = st.sampled_from([*MARKUP.split(), "<a href=x>"])


def page_of(markup: str) -> Outline:
    return Outline.of(Page(markup), CLEANING)


def test_a1_five_densities() -> None:
    counts = np.array([[30.0, 200, 4, 100, 14, 6, 24, 120, 400]])
    assert densities(counts)[0] == pytest.approx([0.15, 0.04, 0.07, 0.25, 0.30])


def test_nothing_of_nothing_is_zero() -> None:
    assert densities(np.zeros((1, 9)))[0].tolist() == [0, 0, 0, 0, 0]


def test_a4_paragraph_densities() -> None:
    second = "天，" * 6 + "天" * 108
    rest = "天" * 95
    page = page_of(f"<div><p>{rest}</p><p>{second}</p><p>{rest}</p><p>{rest}</p><p>{rest}</p></div>")
    inner = inner_paragraphs(page, [0, 1, 2, 3, 4])
    assert inner.features[1] == pytest.approx([120 / 500, 6 / 120, 0.4])
    assert region_density(2, 3, 5) == pytest.approx(0.5)


def test_a_paragraph_is_no_container() -> None:
    assert "p" not in CONTAINERS
    table = text_blocks(page_of("<div>甲<p>乙</p><p>丙</p></div>"))
    assert table.leaves == [[0, 1, 2]]


def test_a_text_belongs_to_its_nearest_container() -> None:
    assert text_blocks(page_of("<div>甲<ul><li>乙</li></ul></div>")).leaves == [[0], [1]]


def test_counts_of_a_block() -> None:
    page = page_of("<div><b>首页</b>，<a href=x>天气</a></div>")
    ld, nd, pd, dd, rd = text_blocks(page).features[0]
    assert ld == pytest.approx(2 / 5)
    assert nd == pytest.approx(1 / 2)
    assert pd == pytest.approx(1 / 5)
    assert dd == pytest.approx(1 / 2)
    assert rd == pytest.approx(3 / 5)


def test_an_english_page_counts_its_own_punctuation() -> None:
    assert text_blocks(page_of("<div>One, two. Three!</div>")).features[0, 2] > 0


@given(pieces=st.lists(PIECES, max_size=30))
def test_disjoint_blocks_share_out_all_text(pieces: list[str]) -> None:
    page = page_of("".join(pieces))
    table = text_blocks(page)
    assert sorted(number for leaves in table.leaves for number in leaves) == list(range(len(page.leaves)))
    assert ((table.features >= 0) & (table.features <= 1)).all()
    for leaves in table.leaves:
        inner = inner_paragraphs(page, leaves).features
        assert inner[:, 0].sum() == pytest.approx(1)
        assert ((inner[:, 2] > 0) & (inner[:, 2] <= 1)).all()
