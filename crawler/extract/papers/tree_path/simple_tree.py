"""Pages of one template by the children of their bodies (papers.md 6.2 step 1).

Reading [D-high]: similarity counts the longest common subsequence of the children (register 28), not every equal pair
as the printed listing does.

References: papers.md 6.2; Reis et al. 2004 for the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence

from lxml.html import HtmlElement

from crawler.html.page import Page

Name = tuple[str, tuple[tuple[str, str], ...]]  # tag and its attributes, sorted

SIMILAR = 0.80  # from which two pages share a template
MAX_CHILDREN = 400  # of a body that are compared; more are a broken page, and the comparison is quadratic


def simple_tree(page: Page) -> list[Name]:
    """The children of the page's body."""
    body = page.tree.find("body")
    if body is None:
        return []
    children = [child for child in body if isinstance(child.tag, str)]
    return [name_of(child) for child in children[:MAX_CHILDREN]]


def name_of(element: HtmlElement) -> Name:
    return element.tag, tuple(sorted((str(name), str(value)) for name, value in element.attrib.items()))


def similarity(one: Sequence[Name], other: Sequence[Name]) -> float:
    """Matching children over the mean number of children; 1 for two empty bodies. In [0, 1]."""
    if not one and not other:
        return 1.0
    return _common(one, other) / ((len(one) + len(other)) / 2)


def _common(one: Sequence[Name], other: Sequence[Name]) -> int:
    """Length of the longest common subsequence."""
    lengths = [0] * (len(other) + 1)
    for first in one:
        before = 0
        for place, second in enumerate(other, 1):
            here = lengths[place]
            lengths[place] = before + 1 if first == second else max(here, lengths[place - 1])
            before = here
    return lengths[-1]


def clustered(trees: Sequence[Sequence[Name]], similar: float = SIMILAR) -> list[list[int]]:
    """Places of the pages by cluster: each joins the first whose first page is similar, or opens its own."""
    found: list[list[int]] = []
    for place, tree in enumerate(trees):
        home = next((cluster for cluster in found if similarity(trees[cluster[0]], tree) >= similar), None)
        if home is None:
            found.append([place])
        else:
            home.append(place)
    return found
