"""System E: body nodes by a support vector machine, then the container they point to (papers.md 7).

Readings: a page is a forum if at least three containers look like the reference's and hold punctuation, and have more
text together than the best continuous block (register 36). The other readings are in node_features and containers. If
no container is found, the whole body is taken, without lines of links. The title is that of 7.3 (head_title); if the
head has none, and for the time, the project's own modules are asked.

References: Wang Yulong, Lai Hua, Yu Zhengtao et al. 2016, J. Shanxi Univ. (Nat. Sci.) 39(3):386-391.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crawler.reader.html.page import Page
from crawler.reader.papers.answer import Headline, answer
from crawler.reader.papers.fused.containers import (
    MAX_LINKED,
    BodyNode,
    PageSums,
    best_block,
    candidates,
    climb,
    is_container,
    posts,
    reference,
    repeated,
)
from crawler.reader.papers.fused.head_title import head_title
from crawler.reader.papers.fused.node_features import CLEANING, FEATURES, NodeTable, node_table
from crawler.reader.papers.model_files import TrainedExtractor, trained
from crawler.reader.papers.outline import Outline
from crawler.reader.papers.svm import Svm
from crawler.records import Extraction, PageKind

C, GAMMA = 1.0, 1.0 / FEATURES  # LIBSVM's defaults (papers.md 7.4)
MIN_POSTS = 3  # repeated containers that make a page a forum thread


@dataclass(frozen=True, slots=True)
class Fused(TrainedExtractor):
    """The trained machine."""

    model = "fused"

    svm: Svm

    def __call__(self, page: Page) -> Extraction:
        outline = Outline.of(page, CLEANING)
        headline = Headline.of(page)
        leaves, kind = self.body(outline, headline)
        found = answer(headline, outline, leaves, kind)
        title = head_title(page.declared.title, outline.leaves)
        return replace(found, title=title) if title else found

    def body(self, outline: Outline, headline: Headline) -> tuple[list[int], PageKind]:
        """Returns the numbers of the body's leaves, and the page class."""
        table = node_table(outline, headline)
        body_nodes = [int(node) for node in table.nodes[self.svm.decide(table.features) > 0]]
        chosen = reference([_body_node(table, node) for node in body_nodes])
        if chosen is None:
            return [], PageKind.ARTICLE
        sums = PageSums.of(outline, table.linked, table.sizes, table.words, table.marks)
        block = _continuous(outline, sums, body_nodes, chosen.node)
        thread = _thread(outline, sums, chosen.node)
        if sum(sums.block(outline, post).size for post in thread) > sums.block(outline, block).size:
            return _leaves(outline, thread), PageKind.THREAD
        if not is_container(outline.nodes[block]):  # the page has none, so all of its text was taken
            return outline.own_leaves(block), PageKind.ARTICLE
        return _leaves(outline, [block]), PageKind.ARTICLE

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Fused:
        return cls(Svm.from_json(data["svm"], FEATURES))


def _continuous(outline: Outline, sums: PageSums, body_nodes: list[int], chosen: int) -> int:
    """Returns the body's block on a page with one body."""
    block = climb(outline, chosen)
    best = best_block(outline, sums, [block, *candidates(outline, body_nodes, block)])
    return block if best is None else best


def _thread(outline: Outline, sums: PageSums, chosen: int) -> list[int]:
    """Returns the posts of a thread; none if the containers do not look like one."""
    containers = repeated(outline, climb(outline, chosen, forum=True))
    if sum(sums.block(outline, container).marks > 0 for container in containers) < MIN_POSTS:
        return []
    found = [(post, sums.block(outline, post)) for container in containers for post in posts(outline, container)]
    return [post for post, block in found if block.size and block.link_share <= MAX_LINKED]


def _body_node(table: NodeTable, node: int) -> BodyNode:
    return BodyNode(node, int(table.words[node]), int(table.sizes[node]), int(table.marks[node]))


def _leaves(outline: Outline, blocks: list[int]) -> list[int]:
    """Returns the numbers of the leaves in some blocks, ascending. No block may hold another one."""
    spans = iter([(block, outline.nodes[block].last) for block in blocks])
    first, last = next(spans, (0, -1))
    found = []
    for number, leaf in enumerate(outline.leaves):
        while last < leaf.node and (span := next(spans, None)):
            first, last = span
        if first <= leaf.node <= last:
            found.append(number)
    return found


def fused(page: Page) -> Extraction:
    """Extracts with the model that came with the project. An Extractor."""
    return trained(Fused)(page)
