"""What system E's machine sees of an element with text of its own (papers.md 7.4).

Readings: own text is the text directly in the element (register 33); title words are the title's words without stop
words and noise; void elements are not nodes. The features are, in order: TL, PN, ND, TDTN, TAL, then one-hot TP (A, D,
S) and NTP (U, D, B).

References: Wang Yulong, Lai Hua, Yu Zhengtao et al. 2016, section on node classification.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray

from crawler.reader.papers.answer import Headline
from crawler.reader.papers.density_svm import NOISE, noise_tokenizer
from crawler.reader.papers.outline import NO_TEXT, VOID, Cleaning, Floats, Outline, tags
from crawler.reader.text.fold import fold
from crawler.reader.text.measures import norm_ws, punct

CLEANING = Cleaning(dropped=NO_TEXT, unnumbered=VOID)  # papers.md 7.2
FEATURES = 11
WIDE = tags("div table p tbody")  # TP "D"
TP = {"A": 5, "D": 6, "S": 7}  # columns of the one-hot features
NTP = {"U": 8, "D": 9, "B": 10}


@dataclass(frozen=True, slots=True, eq=False)
class NodeTable:
    """The nodes of a page that have text of their own, and sums for all nodes."""

    nodes: NDArray[np.intp]  # shape (n,)
    features: Floats  # shape (n, 11)
    words: NDArray[np.int64]  # shape (nodes of the page,): title words directly in each
    marks: NDArray[np.int64]  # the same for punctuation marks
    sizes: NDArray[np.int64]  # the same for characters
    linked: NDArray[np.int64]  # the same for characters in links


def title_words(text: str, words: Collection[str]) -> int:
    """Returns TDTN: how often title words, which are folded, occur in a text."""
    folded = fold(text)
    return sum(folded.count(word) for word in words)


def node_table(outline: Outline, headline: Headline) -> NodeTable:
    """Computes the features of a page's nodes."""
    words = frozenset(noise_tokenizer().tokens(headline.title)) - NOISE
    own: dict[int, list[str]] = {}
    count = len(outline.nodes)
    sizes, marks, found, linked = (np.zeros(count, dtype=np.int64) for _ in range(4))
    for leaf in outline.leaves:
        own.setdefault(leaf.node, []).append(leaf.raw)
        sizes[leaf.node] += leaf.size
        linked[leaf.node] += leaf.size * leaf.linked
        marks[leaf.node] += punct(leaf.raw, outline.mode)
    nodes = np.array(sorted(own), dtype=np.intp)
    texts = {node: "".join(pieces) for node, pieces in own.items()}
    if words:
        for node, text in texts.items():
            found[node] = title_words(text, words)
    features = np.zeros((len(nodes), FEATURES))
    features[:, 0] = sizes[nodes]
    features[:, 1] = marks[nodes]
    features[:, 2] = np.diff(nodes, prepend=-1) - 1
    features[:, 3] = found[nodes]
    features[:, 4] = np.where(marks[nodes] > 0, sizes[nodes] / np.maximum(marks[nodes], 1), sizes[nodes])
    sides = _sides(outline, headline, texts)
    for row, node in enumerate(nodes):
        features[row, TP[_kind(outline, int(node))]] = 1
        features[row, NTP[sides[int(node)]]] = 1
    return NodeTable(nodes, features, found, marks, sizes, linked)


def _kind(outline: Outline, node: int) -> str:
    """Returns TP: A for the text of a link, D for div, table, p, tbody, S for the rest."""
    if outline.nodes[node].tag == "a":
        return "A"
    return "D" if outline.nodes[node].tag in WIDE else "S"


def _sides(outline: Outline, headline: Headline, texts: dict[int, str]) -> dict[int, str]:
    """Returns NTP: U above the title, B the title itself, D below it; D for all if the page does not show it."""
    block = _node_of(outline, headline.block)
    if block is None:
        return dict.fromkeys(texts, "D")
    last = outline.nodes[block].last
    title = headline.title
    sides = {}
    for node, text in texts.items():
        own = norm_ws(text)
        if node < block:
            sides[node] = "U"
        else:
            sides[node] = "B" if node <= last and (own in title or own.startswith(title)) else "D"
    return sides


def _node_of(outline: Outline, element: HtmlElement | None) -> int | None:
    if element is None:
        return None
    return next((place for place, node in enumerate(outline.nodes) if node.element is element), None)
