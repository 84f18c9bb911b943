"""Example D7 of papers.md 6.2."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.papers.tree_path.simple_tree import Name, clustered, name_of, similarity, simple_tree
from crawler.html.page import Page

TREES = st.lists(st.sampled_from("abcd").map(lambda name: (name, ())), max_size=12)


def tree(*names: str) -> list[Name]:
    parts = [name.partition("#") for name in names]
    return [(tag, (("id", own),) if own else ()) for tag, _, own in parts]


ONE = tree("div#a", "div#b", "div#c", "table", "iframe")
OTHER = tree("div#a", "div#x", "div#b", "div#c", "table", "p")


def test_d7_longest_common_subsequence() -> None:
    assert similarity(ONE, OTHER) == pytest.approx(4 / 5.5)
    assert clustered([ONE, OTHER]) == [[0], [1]]


def test_equal_children_count_once() -> None:
    divs = tree(*["div"] * 10)
    assert similarity(divs, divs) == 1


def test_empty_bodies() -> None:
    assert similarity([], []) == 1
    assert similarity([], ONE) == 0


def test_the_children_of_the_body_with_their_attributes() -> None:
    page = Page("<body><div id=a class='x y'><p>甲</p></div><!-- 乙 --><table></table></body>")
    assert simple_tree(page) == [("div", (("class", "x y"), ("id", "a"))), ("table", ())]
    assert name_of(page.tree) == ("html", ())


def test_pages_join_the_first_similar_cluster() -> None:
    near = tree("div#a", "div#b", "div#c", "table", "iframe", "p")
    assert clustered([ONE, OTHER, near, OTHER]) == [[0, 2], [1, 3]]


@given(one=TREES, other=TREES)
def test_similarity_is_a_symmetric_share(one: list[Name], other: list[Name]) -> None:
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, other) == similarity(other, one)
    assert similarity(one, one) == 1
