"""A page's own text: the smallest block that holds most of it (papers.md 4.3 plus density). No model is asked.

Text outside of links counts for its block and for all blocks around it. The search starts at the root and goes down as
long as one block holds nearly everything that counts. So it ends at the article, or at the list of a thread's posts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

from crawler.reader.html.blocks import BREAK, Layout, Line
from crawler.reader.html.page import Page

# Tuned on labelled news, blog and forum pages for the mean F1 over sites, which is flat around these values.
HOLD = 0.6  # share of a block's weight that one inner block must hold to go on with that one alone
HOLD_ALONE = 0.95  # the same for a block of one line, which is more likely one long paragraph of several
PUNCT_WEIGHT = 60.0  # characters a sentence's punctuation mark counts for: sentences, not labels, make a body
POWER = 1.3  # of a line's weight: long paragraphs count for more than as many characters in short ones
SHORT = 10  # characters; a shorter line without punctuation says little of where the body is
SHORT_WEIGHT = 0.2
MAX_LINKED = 0.5  # share of link text above which a line is navigation
MIN_BODY = 20  # characters; less is not a body
# Marks in numbers, times and addresses do not count. One set of characters comes first: alternatives are slower.
PUNCTUATION = re.compile(r"[，。！？；、,.!?;:](?:(?<=[，。！？；、])|(?=\s|$))")
CJK_GAP = re.compile(" (?<=[\u3001-\u9fff\uff00-\uffef] )(?=[\u3001-\u9fff\uff00-\uffef])")
NUMBERS = re.compile(r"[\d\s]+")
ASIDES = frozenset(["nav", "footer", "aside", "form", "menu"])
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


def own_text(page: Page, title: str, place: int = -1) -> str:
    """Returns all of the page's own text without its title, or "" if it is too short. On a page that lists others it
    holds their teasers. `place`: the line that is the title; -1: unknown."""
    body = "\n".join(_paragraphs(page.layout, title, place))
    return body if len(body) >= MIN_BODY else ""


def _paragraphs(layout: Layout, title: str, title_place: int) -> list[str]:
    """Returns the text of the body, one paragraph or line of code each."""
    inside = _body_blocks(layout)
    lines = [(place, line) for place, line in enumerate(layout.lines) if line.block in inside and _is_text(line)]
    kept = [line for place, line in lines if place != title_place and line.text != title]
    return [paragraph for line in _trimmed(kept) for paragraph in _split(line)]


def _body_blocks(layout: Layout) -> set[HtmlElement]:
    """Returns the body's block and all blocks in it."""
    body = _body_block(layout)
    inside = {body}
    for block, parent in layout.parents.items():
        if parent in inside and block.tag not in ASIDES:
            inside.add(block)
    return inside


def _body_block(layout: Layout) -> HtmlElement:
    weights: dict[HtmlElement, float] = {}  # of the text in a block and in all blocks in it
    texts: dict[HtmlElement, int] = {}  # lines that weigh
    for line in layout.lines:
        weight = _weight(line)
        weights[line.block] = weights.get(line.block, 0.0) + weight
        texts[line.block] = texts.get(line.block, 0) + (weight > 0)
    heaviest: dict[HtmlElement, HtmlElement] = {}
    for block, parent in reversed(layout.parents.items()):  # inner blocks first
        if block is parent or block.tag in ASIDES or block not in weights:
            continue
        weights[parent] = weights.get(parent, 0.0) + weights[block]
        texts[parent] = texts.get(parent, 0) + texts[block]
        if parent not in heaviest or weights[block] >= weights[heaviest[parent]]:
            heaviest[parent] = block
    body = next(iter(layout.parents))
    while body in heaviest:
        inner = heaviest[body]
        share = HOLD if texts[inner] > 1 else HOLD_ALONE
        if weights[inner] < share * weights[body]:
            break
        body = inner
    return body


def _weight(line: Line) -> float:
    own = len(line.text) - line.link_chars
    if own <= 0 or _is_linked(line):
        return 0.0
    marks = len(PUNCTUATION.findall(line.text))
    if own <= SHORT and not marks:
        return SHORT_WEIGHT * own
    return float((own + PUNCT_WEIGHT * marks) ** POWER)


def _is_linked(line: Line) -> bool:
    return line.link_chars > MAX_LINKED * len(line.text)


def _is_text(line: Line) -> bool:
    """Returns whether a line is text: no navigation, and no line numbers beside code."""
    return bool(line.text) and not _is_linked(line) and not NUMBERS.fullmatch(line.text)


def _trimmed(lines: Sequence[Line]) -> Sequence[Line]:
    """Drops the labels before the first and after the last line that is surely text."""
    places = [place for place, line in enumerate(lines) if _is_sure(line)]
    return lines[places[0] : places[-1] + 1] if places else lines


def _is_sure(line: Line) -> bool:
    if line.block.tag in HEADINGS or line.block.tag == "pre":
        return True
    return len(line.text) >= 2 * SHORT and PUNCTUATION.search(line.text) is not None


def _split(line: Line) -> list[str]:
    """Splits a line into paragraphs: at `br`, and at line breaks where the page shows them."""
    raw = line.raw.replace("\n", BREAK) if line.block.tag in ("pre", "listing", "xmp") else line.raw
    paragraphs = (CJK_GAP.sub("", " ".join(part.split())) for part in raw.split(BREAK))
    return [paragraph for paragraph in paragraphs if paragraph]
