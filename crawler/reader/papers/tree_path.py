"""System D3: down the pre-pruned tree to the child that matters, as long as one does (papers.md 6.2).

There is no layout engine here, so a child's importance is that of its text alone (m = 1). The listing's `h2`, `ul` and
`a` are left out while the way is searched, not from the text that is found. The way leads only into elements that can
hold paragraphs, so it never ends in a single long paragraph. It is found on each page again: to go the way of one page
on all pages of its template (steps 1 and 4) found less on labelled pages.

Reading [D-low] (register 29): p_im = x_im / sum_i x_im; e_m = -(1/ln j) sum_i p_im ln p_im;
w_m = (1 - e_m) / sum_m (1 - e_m); ipt_i = sum_m w_m p_im. The way down stops as soon as no child has half of the
importance: the variance of the importances, as printed, is below its 0.1 for nine children and more whatever they hold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crawler.reader.html.page import Page
from crawler.reader.papers.answer import Headline, answer
from crawler.reader.papers.outline import AREAS, NO_TEXT, Cleaning, Floats, Outline, tags
from crawler.records import Extraction

READING = Cleaning(dropped=NO_TEXT | tags("iframe input select textarea button"))
PRUNED = tags("h2 ul a")  # with READING's: the noise node types of step 2; not `form`, which may hold all of a page
STOP_SHARE = 0.5
CERTAIN = 1e-12  # 1 - e below this is rounding


def tree_path(page: Page) -> Extraction:
    """Reads each page by itself. An Extractor."""
    outline = Outline.of(page, READING)
    return answer(Headline.of(page), outline, outline.own_leaves(content_node(outline)))


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
    """Returns the number of characters under each node without the noise nodes."""
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
    """Returns the children of each node that have text left."""
    children: dict[int, list[int]] = {}
    for place, node in enumerate(outline.nodes):
        if node.parent >= 0 and text[place]:
            children.setdefault(node.parent, []).append(place)
    return children


def entropy_weights(values: Floats) -> tuple[Floats, Floats]:
    """Returns entropy e_m and weight w_m of each attribute, from values x_im >= 0 of shape (children, attributes), with
    two children at least. An attribute that is 0 everywhere has entropy 1. The weights are equal if no attribute tells
    anything."""
    shares = _shares(values)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy = -(shares * logs).sum(axis=0) / np.log(len(values))
    entropy = np.where(values.sum(axis=0) > 0, entropy, 1.0)
    told = np.maximum(1.0 - entropy, 0.0)
    if told.sum() < CERTAIN:
        return entropy, np.full(len(told), 1.0 / len(told))
    return entropy, told / told.sum()


def importance(values: Floats) -> Floats:
    """Returns ipt_i of each child, in [0, 1]; they add up to 1 if any attribute is above 0. Shape (children,)."""
    if len(values) == 1:
        return np.ones(1)
    found: Floats = _shares(values) @ entropy_weights(values)[1]
    return found


def goes_down(ipt: Floats) -> bool:
    """Returns whether one child is so important that the content lies in it."""
    return bool(ipt.max() >= STOP_SHARE)


def _shares(values: Floats) -> Floats:
    sums = values.sum(axis=0)
    shares: Floats = np.divide(values, sums, out=np.zeros_like(values, dtype=np.float64), where=sums > 0)
    return shares
