"""Examples E5 and E6 of papers.md 7.7 and 7.8."""

import math

import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.page import Page
from crawler.reader.papers.answer import Headline
from crawler.reader.papers.fused.containers import (
    BlockSums,
    PageSums,
    best_block,
    candidates,
    climb,
    is_container,
    is_forum_container,
    posts,
    repeated,
)
from crawler.reader.papers.fused.fused import fused
from crawler.reader.papers.fused.node_features import CLEANING, node_table
from crawler.reader.papers.outline import Outline
from crawler.records import PageKind

A = BlockSums(linked=20, size=1000, attributes=12, words=8, marks=40, tags=25)
B = BlockSums(linked=180, size=200, attributes=60, words=1, marks=0, tags=40)
COUNT = st.integers(0, 10_000)
POST = "<div class=post id=p{0}><p>第{0}楼说：他们的看法我不同意，先把问题想清楚，再来谈怎么办，好不好？</p></div>"


def page_of(markup: str) -> Outline:
    return Outline.of(Page(markup), CLEANING)


def names(page: Outline, nodes: list[int]) -> list[str | None]:
    return [page.nodes[node].element.get("id") for node in nodes]


def place(page: Outline, name: str) -> int:
    return next(number for number, node in enumerate(page.nodes) if node.element.get("id") == name)


def sums_of(page: Outline) -> PageSums:
    table = node_table(page, Headline("", None, None))
    return PageSums.of(page, table.linked, table.sizes, table.words, table.marks)


def test_e5_sort() -> None:
    assert A.sort == pytest.approx(0.2646)
    assert B.sort == pytest.approx(3.73)


def test_none_of_a_thing_has_its_own_value() -> None:
    empty = BlockSums(linked=0, size=10, attributes=0, words=0, marks=0, tags=0)
    assert empty.sort == pytest.approx(0.8 * 0.5 + 1.3 * (0.7 + 0.7))


@given(linked=COUNT, size=st.integers(1, 10_000), attributes=COUNT, words=COUNT, marks=COUNT, tags=COUNT)
def test_sort_is_finite(linked: int, size: int, attributes: int, words: int, marks: int, tags: int) -> None:
    assert math.isfinite(BlockSums(min(linked, size), size, attributes, words, marks, tags).sort)


def test_e6_containers_alike_but_for_the_id() -> None:
    page = page_of("<div class=post id=1>A</div><div class=post id=2>B</div><div class=ad id=3>C</div>")
    found = repeated(page, place(page, "1"))
    assert names(page, found) == ["1", "2"]
    texts = page.paragraphs(number for node in found for post in posts(page, node) for number in page.inside(post))
    assert "\n".join(text.text for text in texts) == "A\nB"


def test_classes_count_in_any_order_and_no_other_attributes() -> None:
    page = page_of("<div class='a b' id=1 style=x>A</div><div class='b a' id=2>B</div><div class=a id=3>C</div>")
    assert names(page, repeated(page, place(page, "1"))) == ["1", "2"]


def test_posts_are_the_outermost_items() -> None:
    page = page_of("<div class=t id=t><ul><li id=1>甲<ul><li id=2>乙</li></ul></li><li id=3>丙</li></ul></div>")
    assert names(page, posts(page, place(page, "t"))) == ["1", "3"]


@pytest.mark.parametrize(
    ("markup", "continuous", "forum"),
    [
        ("<div id=x>", True, False),
        ("<div id=x class=y>", True, True),
        ("<div style=z id=x>", True, False),
        ("<table id=x>", True, True),
        ("<li id=x>", False, True),
        ("<p id=x class=y>", False, False),
    ],
)
def test_what_a_container_is(markup: str, continuous: bool, forum: bool) -> None:
    page = page_of(markup)
    node = page.nodes[place(page, "x")]
    assert (is_container(node), is_forum_container(node)) == (continuous, forum)


def test_climbing_ends_at_the_body() -> None:
    page = page_of("<div><p id=x>甲</p></div><div class=c id=y><p id=z>乙</p></div>")
    assert page.nodes[climb(page, place(page, "x"))].tag == "body"
    assert climb(page, place(page, "z")) == place(page, "y")


def test_candidates_keep_apart() -> None:
    page = page_of(
        "<div id=all><div id=ref><p id=1>甲</p></div>"
        "<div id=out><div id=in><p id=2>乙</p></div><p id=3>丙</p></div></div>"
    )
    reference = place(page, "ref")
    nodes = [place(page, name) for name in ("1", "2", "3", "all")]
    assert names(page, candidates(page, nodes, reference)) == ["out"]


def test_blocks_without_text_are_discarded() -> None:
    page = page_of("<div id=a></div><div id=b>甲</div>")
    sums = sums_of(page)
    assert best_block(page, sums, [place(page, "a")]) is None
    assert best_block(page, sums, [place(page, "a"), place(page, "b")]) == place(page, "b")


def test_a_thread_gives_every_post() -> None:
    head = "<title>看法</title><ul><li><a href=/>首页</a></li></ul><h1>看法</h1>"
    thread = head + "".join(f"<div>{POST.format(number)}</div>" for number in range(1, 6))
    found = fused(Page(thread))
    assert found.kind is PageKind.THREAD
    assert len(found.body.splitlines()) == 5


def test_sums_of_a_subtree() -> None:
    page = page_of("<div id=a class=b><p>甲，乙<a href=x>丙</a></p></div>")
    assert sums_of(page).block(page, place(page, "a")) == BlockSums(1, 4, 3, 0, 1, 3)
