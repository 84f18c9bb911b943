"""The shapes in which forum software prints a thread (`shapes.toml`), in a small language.

    div.post#p(span.name(NAME) div.text(BODY))

is an element with classes and an id, and in brackets what is in it: elements, or slots in capitals, which
`compose.py` fills.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("shapes.toml")
TOKEN = re.compile(r"[()]|[^\s()]+")
NAME_PART = re.compile(r"[.#][^.#]+")


@dataclass(frozen=True, slots=True)
class Node:
    """An element, or a slot: then `tag` is its name in capitals."""

    tag: str
    classes: str = ""
    id: str = ""
    children: tuple[Node, ...] = ()

    @property
    def is_slot(self) -> bool:
        return self.tag.isupper()


@dataclass(frozen=True, slots=True)
class Shape:
    """How a kind of forum lays out a thread."""

    family: str
    thread: tuple[Node, ...]  # around all posts: slots FIRST and POSTS
    post: tuple[Node, ...]
    first: tuple[Node, ...]  # the opening post where it looks otherwise, else nothing
    reply: tuple[Node, ...]  # an answer inside of a post
    address: str  # with {n}
    breaks: tuple[str, ...]  # what may part the paragraphs of a post


@cache
def shapes() -> tuple[Shape, ...]:
    """The shapes of `shapes.toml`, in its order."""
    with FILE.open("rb") as file:
        table = tomllib.load(file)
    return tuple(_shape(family, own) for family, own in table.items())


def _shape(family: str, table: dict[str, Any]) -> Shape:
    thread, post, first, reply = (nodes_of(table.get(part, "")) for part in ("thread", "post", "first", "reply"))
    return Shape(family, thread, post, first, reply, table["address"], tuple(table["breaks"]))


def nodes_of(text: str) -> tuple[Node, ...]:
    """The nodes of a text in the small language. Raises ValueError for brackets that do not match."""
    return tuple(_nodes(iter(TOKEN.findall(text)), 0))


def _nodes(tokens: Iterator[str], depth: int) -> Iterator[Node]:
    waiting: Node | None = None
    for token in tokens:
        if token == "(":
            if waiting is None:
                raise ValueError("a bracket needs an element before it")
            yield replace(waiting, children=tuple(_nodes(tokens, depth + 1)))
            waiting = None
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        if token == ")":
            if not depth:
                raise ValueError("a bracket is closed that was not opened")
            return
        waiting = _node(token)
    if depth:
        raise ValueError("a bracket is not closed")
    if waiting is not None:
        yield waiting


def _node(token: str) -> Node:
    tag = re.split(r"[.#]", token, maxsplit=1)[0]
    parts = NAME_PART.findall(token)
    classes = " ".join(part[1:] for part in parts if part[0] == ".")
    return Node(tag or "div", classes, "".join(part[1:] for part in parts if part[0] == "#"))
