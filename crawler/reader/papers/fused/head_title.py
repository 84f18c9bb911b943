"""The title by the parts of the head's title that the page shows (papers.md 7.3).

Readings: separators are the recommended marks [D-mid] (register 30). The printed rule, every run of characters that are
not Chinese, breaks titles with digits and colons. compareNE is "not contained in" (31). Two guards are added (32):
parts that a node shows which is not a link come before parts that none shows, and a link does not remove a part that
such a node equals. Two parts are joined if a node holds both and what is between them, compared by letters: a
node that happens to hold a word of the next part does not join it.

References: Wang Yulong, Lai Hua, Yu Zhengtao et al. 2016.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.reader.papers.outline import Leaf

SEPARATOR = re.compile(r"[|｜_—–»›·•~]+|(?<=\s)-+(?=\s)|(?<=[\u3400-\u9fff])-+(?=[\u3400-\u9fff])")
NO_SIGN = re.compile(r"[\W_A-Za-z0-9]+")  # what processing 1 deletes: blanks, letters, digits, usual punctuation
BLANK = re.compile(r"\s+")  # what processing 2 deletes


@dataclass(slots=True)
class _Head:
    """A part of the head's title, or several joined."""

    text: str  # with the separators between joined parts
    start: int
    end: int
    shown: bool = False  # a node that is not a link holds it

    @property
    def size(self) -> int:
        """Characters after processing 2."""
        return len(BLANK.sub("", self.text))


def head_title(title: str, nodes: Iterable[Leaf]) -> str:
    """Returns the part of the head's title that is the page's own; "" if there is none. `nodes` come in document
    order."""
    heads = _split(title)
    if len(heads) < 2:  # case 1: the node that equals it says the same
        return heads[0].text if heads else ""
    longest = max(heads, key=lambda head: head.size).text
    whole = sum(head.size for head in heads)
    known = [node for node in nodes if 0 < len(BLANK.sub("", node.raw)) <= whole]
    place = 0
    while place < len(heads):
        if _is_removed(heads, place, title, known):
            del heads[place]
        else:
            place += 1
    heads = [head for head in heads if head.shown] or heads
    return max(heads, key=lambda head: head.size).text if heads else longest


def _split(title: str) -> list[_Head]:
    heads, start = [], 0
    for end, behind in [*((match.start(), match.end()) for match in SEPARATOR.finditer(title)), (len(title), 0)]:
        text = title[start:end]
        if text.strip():
            begin = start + len(text) - len(text.lstrip())
            heads.append(_Head(text.strip(), begin, begin + len(text.strip())))
        start = behind
    return heads


def _is_removed(heads: list[_Head], place: int, title: str, nodes: Sequence[Leaf]) -> bool:
    """Returns whether a link shows the part: then it is the name of a site or section. Joins parts on the way."""
    again = True
    while again:
        again = False
        head = heads[place]
        for node in nodes:
            if not _holds(node.raw, head.text):
                continue
            if node.linked:
                if not _is_shown(head.text, nodes):
                    return True
                continue
            head.shown = True
            if place + 1 < len(heads):
                joined = title[head.start : heads[place + 1].end]
                if _holds(node.raw, heads[place + 1].text) and _holds(node.raw, joined):
                    heads[place : place + 2] = [_Head(joined, head.start, heads[place + 1].end)]
                    again = True
                    break
    return False


def _holds(node: str, head: str) -> bool:
    """Compares after processing 1, or after processing 2 if that leaves nothing of the part, as it does of English
    ones."""
    sign = NO_SIGN if NO_SIGN.sub("", head) else BLANK
    return sign.sub("", head) in sign.sub("", node)


def _is_shown(head: str, nodes: Iterable[Leaf]) -> bool:
    """Returns whether a node that is not a link equals the part."""
    text = BLANK.sub("", head)
    return any(not node.linked and BLANK.sub("", node.raw) == text for node in nodes)
