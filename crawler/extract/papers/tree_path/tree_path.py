"""System D3: one way down the pre-pruned tree for all pages of a template (papers.md 6.2).

There is no layout engine here, so a child's importance is that of its text alone (m = 1). `tree_path` finds the way on
each page anew; `PathTemplates.learn` finds it on one page of each cluster and goes the same way on the others. The
listing's `h2`, `ul` and `a` are left out while the way is sought, not from the text that is found.

Only elements that can hold paragraphs are gone into, so the way never ends in a single long paragraph.

References: papers.md 6.2 (tree pre-pruning); readings in simple_tree and importance.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crawler.extract.papers.answer import Headline, answer
from crawler.extract.papers.outline import AREAS, NO_TEXT, Cleaning, Outline, tags
from crawler.extract.papers.tree_path.importance import goes_down, importance
from crawler.extract.papers.tree_path.simple_tree import (
    SIMILAR,
    Name,
    clustered,
    name_of,
    similarity,
    simple_tree,
)
from crawler.html.page import Page
from crawler.records import Extraction

READING = Cleaning(dropped=NO_TEXT | tags("iframe input select textarea button"))
PRUNED = tags("h2 ul a")  # with READING's: the noise node types of step 2; not `form`, which may hold all of a page


@dataclass(frozen=True, slots=True)
class Step:
    """One step down: which child."""

    name: Name  # its tag and attributes
    place: int  # among the children of that name, 0 first


def tree_path(page: Page) -> Extraction:
    """Reads each page by itself. An Extractor."""
    outline = Outline.of(page, READING)
    return answer(Headline.of(page), outline, _body(outline))


def _body(outline: Outline) -> list[int]:
    """Numbers of the body's leaves, ascending."""
    return outline.own_leaves(content_node(outline))


def content_node(outline: Outline) -> int:
    """Goes down to the most important child as long as one stands out."""
    text = pruned_text(outline)
    children = area_children(outline, text)
    node = 0
    while inner := children.get(node):
        ipt = importance(np.array([[text[child]] for child in inner], dtype=np.float64))
        best = inner[int(ipt.argmax())]
        if outline.nodes[best].tag not in AREAS or not goes_down(ipt):
            break
        node = best
    return node


def pruned_text(outline: Outline) -> list[int]:
    """Characters under each node once the noise nodes are gone."""
    gone = [False] * len(outline.nodes)
    for place, node in enumerate(outline.nodes):
        gone[place] = node.tag in PRUNED or (node.parent >= 0 and gone[node.parent])
    text = [0] * len(outline.nodes)
    for leaf in outline.leaves:
        if not gone[leaf.node]:
            text[leaf.node] += leaf.size
    for place in range(len(outline.nodes) - 1, 0, -1):
        text[outline.nodes[place].parent] += text[place]
    return text


def area_children(outline: Outline, text: Sequence[int]) -> dict[int, list[int]]:
    """The children of each node that have text left."""
    children: dict[int, list[int]] = {}
    for place, node in enumerate(outline.nodes):
        if node.parent >= 0 and text[place]:
            children.setdefault(node.parent, []).append(place)
    return children


@dataclass(frozen=True, slots=True)
class PathTemplates:
    """The clusters of a site and the way to the content of each. An Extractor for further pages of the site."""

    clusters: tuple[tuple[tuple[Name, ...], tuple[Step, ...]], ...]  # simple tree of a sample page, way

    @classmethod
    def learn(cls, samples: Sequence[Page], seed: int) -> PathTemplates:
        """One page of each cluster, drawn by chance, shows the way."""
        simple = [simple_tree(sample) for sample in samples]
        chance = random.Random(seed)
        found = []
        for cluster in clustered(simple):
            outline = Outline.of(samples[chance.choice(cluster)], READING)
            way = tuple(steps(outline, content_node(outline)))
            found.append((tuple(simple[cluster[0]]), way))
        return cls(tuple(found))

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, READING)
        return answer(Headline.of(page), outline, self.body(page, outline))

    def body(self, page: Page, outline: Outline) -> list[int]:
        """By the way of the page's cluster; a page of no cluster, or off the way, by itself."""
        simple = simple_tree(page)
        for sample, way in self.clusters:
            if similarity(sample, simple) >= SIMILAR:
                node = follow(outline, way)
                return _body(outline) if node is None else outline.own_leaves(node)
        return _body(outline)


def steps(outline: Outline, node: int) -> Iterator[Step]:
    """The way from the root down to a node."""
    way = list(outline.above(node))[-2::-1]
    for place in way:
        name = name_of(outline.nodes[place].element)
        siblings = [child for child in _children(outline, outline.nodes[place].parent) if _name(outline, child) == name]
        yield Step(name, siblings.index(place))


def follow(outline: Outline, way: Sequence[Step]) -> int | None:
    """The node at the end of a way; None if the page has no such way."""
    node = 0
    for step in way:
        named = [child for child in _children(outline, node) if _name(outline, child) == step.name]
        if step.place >= len(named):
            return None
        node = named[step.place]
    return node


def _children(outline: Outline, node: int) -> list[int]:
    """Linear in the page: for a few nodes only."""
    return [place for place in range(node + 1, outline.nodes[node].last + 1) if outline.nodes[place].parent == node]


def _name(outline: Outline, node: int) -> Name:
    return name_of(outline.nodes[node].element)
