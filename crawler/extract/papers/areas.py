"""Subtrees that may be a page's main area, and what a reader sees of one (for papers.md 6.2 and 6.4).

Chosen here, in none of the sources: the way down a tree ends above the paragraphs, since one long paragraph would
otherwise be taken for the whole body; and lines that are mostly links are no text of the area.
"""

from __future__ import annotations

from crawler.extract.papers.outline import Outline, tags

AREAS = tags("""
    html body div table tbody tr td section article main center form aside header footer blockquote pre ul ol dl span
""")
MAX_LINKED = 0.5  # share of a line's characters in links from which it is navigation


def reader_leaves(page: Outline, node: int) -> list[int]:
    """Numbers of the leaves under a node whose line is not mostly links, ascending."""
    inside = page.inside(node)
    sizes: dict[int, int] = {}
    linked: dict[int, int] = {}
    for number in inside:
        leaf = page.leaves[number]
        sizes[leaf.line] = sizes.get(leaf.line, 0) + leaf.size
        linked[leaf.line] = linked.get(leaf.line, 0) + leaf.size * leaf.linked
    return [
        number for number in inside if linked[page.leaves[number].line] <= MAX_LINKED * sizes[page.leaves[number].line]
    ]
