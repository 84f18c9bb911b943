"""Shapes of threads: the small language, and every shape that is known or drawn."""

import numpy as np
import pytest

from lab.threads.random_shapes import FAMILIES, random_shape
from lab.threads.shapes import Node, Shape, nodes_of, shapes

READ = [
    ("", ()),
    ("BODY", (Node("BODY"),)),
    ("div.a.b#c", (Node("div", "a b", "c"),)),
    (".a", (Node("div", "a"),)),
    (
        "ul.x(li(NAME DATE) li) hr",
        (Node("ul", "x", "", (Node("li", "", "", (Node("NAME"), Node("DATE"))), Node("li"))), Node("hr")),
    ),
]


def slots(nodes: tuple[Node, ...]) -> list[str]:
    return [name for node in nodes for name in ([node.tag] if node.is_slot else slots(node.children))]


@pytest.mark.parametrize(("text", "nodes"), READ)
def test_a_shape_is_read(text: str, nodes: tuple[Node, ...]) -> None:
    assert nodes_of(text) == nodes


@pytest.mark.parametrize("text", ["div(", "div)", "(BODY)", "div(p(BODY)"])
def test_brackets_must_match(text: str) -> None:
    with pytest.raises(ValueError, match="bracket"):
        nodes_of(text)


@pytest.mark.parametrize("shape", shapes(), ids=lambda shape: shape.family)
def test_every_known_shape_prints_each_post_once(shape: Shape) -> None:
    check(shape)


def test_every_drawn_shape_prints_each_post_once() -> None:
    random = np.random.default_rng(3)
    drawn = [random_shape(number, random) for number in range(60)]
    assert len({shape.family for shape in drawn}) == FAMILIES
    for shape in drawn:
        check(shape)


def check(shape: Shape) -> None:
    assert slots(shape.thread).count("POSTS") == 1
    assert slots(shape.thread).count("FIRST") == bool(shape.first)
    assert slots(shape.post).count("BODY") == 1
    assert slots(shape.first).count("BODY") == bool(shape.first)
    assert slots(shape.reply).count("BODY") == bool(shape.reply)
    assert "REPLIES" not in slots(shape.reply)
    assert ("REPLIES" in slots(shape.post)) <= bool(shape.reply)
    assert "{n}" in shape.address
