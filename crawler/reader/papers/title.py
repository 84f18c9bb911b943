"""The title of a page by its place and looks: the three steps of papers.md 4.6."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from lxml.html import HtmlElement

from crawler.reader.html.blocks import Line
from crawler.reader.html.page import Page

MIN_BODY = 50  # characters of the first paragraph that counts as body (papers.md 4.6)
LOOK_BACK = 15  # paragraphs before the body in which the title may be
EXTENT = 400  # paragraphs scanned for the body
MAX_TITLE = 60  # characters; a longer paragraph is not a title
MAX_JOINED = 60  # characters of a title made of two paragraphs
WORD_LENGTH = 2  # Chinese characters a word of another script counts for in these lengths
SITE_NAME = 4.0  # off the score of a paragraph that repeats the site's name behind the title in the head
MAX_LINKED = 0.5  # share of link text above which a long paragraph is navigation, no body
NORMAL_FONT = 3  # of HTML's sizes 1 to 7
PIXELS_PER_SIZE = 16 / NORMAL_FONT  # a browser's normal text has 16 px
STYLE_LEVELS = 3  # elements around a paragraph whose looks reach it

SEPARATOR = re.compile(r"[_|｜丨]|\s[-–—·•«»]+\s|(?<=[\u3400-\u9fff】）》])[-–—](?=[\u3400-\u9fff【（《])")
WORD = re.compile(r"[^\W\u3040-\u9fff\uac00-\ud7af]+")
SENTENCE_END = tuple("。！？；.!?;：:")
FONT_TAG = re.compile(r"\s*([+-]?)\d{1,9}\s*\Z")  # size of `font`: a number, or how much more or less than usual
FONT_SIZE = re.compile(r"font-size\s*:\s*([\d.]+)\s*(px|pt|em|rem)", re.IGNORECASE)
PIXELS = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0}
CENTRED = re.compile(r"text-align\s*:\s*center", re.IGNORECASE)
COLOURED = re.compile(r"(?:^|;)\s*color\s*:", re.IGNORECASE)
BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """The title and where it is."""

    text: str
    place: int  # line it is in; -1: it was taken from the head
    body: int  # line the body starts in; the number of lines when there is none


@dataclass(frozen=True, slots=True)
class Looks:
    """How a paragraph differs from plain text."""

    level: int = 0  # 1 to 6 for h1 to h6, 0 for other elements
    font: float = NORMAL_FONT  # HTML size 1 to 7
    centred: bool = False
    coloured: bool = False
    bold: bool = False

    @property
    def score(self) -> float:
        heading = 3 if self.level == 1 else 2 * (self.level in (2, 3))
        size = min(3.0, self.font - NORMAL_FONT)
        return heading + size + 2 * self.centred + self.coloured + self.bold


def find_title(page: Page) -> Heading:
    """Finds the title that a reader sees. Its text is "" if the page has none."""
    lines = page.layout.lines
    body = body_line(lines)
    head = page.declared.title
    known = _Head(head)
    best, place = 0.0, -1
    for candidate in _candidates(lines, body):
        score = _score(lines[candidate], known, abs(body - candidate))
        if score > best or (score == best and place >= 0 and abs(body - candidate) < abs(body - place)):
            best, place = score, candidate
    if place < 0:
        return Heading(cut_title(head) or page.declared.metas.get("og:title", ""), -1, body)
    return Heading(_joined(lines, place, head), place, body)


def body_line(lines: Sequence[Line]) -> int:
    """Step 1: returns the place of the first paragraph with MIN_BODY characters that is not mostly links, or else the
    number of lines."""
    for place, line in enumerate(lines[:EXTENT]):
        if len(line.text) >= MIN_BODY and line.link_chars <= MAX_LINKED * len(line.text):
            return place
    return len(lines)


def cut_title(head: str) -> str:
    """Returns the head's title without the names of site and section behind separators."""
    return next(iter(_parts(head)), "")


def _parts(head: str) -> list[str]:
    return [part for piece in SEPARATOR.split(head) if (part := piece.strip())]


def _candidates(lines: Sequence[Line], body: int) -> list[int]:
    """Step 2: returns the LOOK_BACK paragraphs before the body, and headings elsewhere: many pages open with a long
    notice."""
    near = range(max(0, body - LOOK_BACK), min(body, len(lines)))
    headings = [
        place for place, line in enumerate(lines[:EXTENT]) if line.block.tag in ("h1", "h2") and place not in near
    ]
    return [*near, *headings]


class _Head:
    """The head's title, prepared for many paragraphs."""

    __slots__ = ("matcher", "parts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts = _parts(text)
        self.matcher = SequenceMatcher(None, "", text[: 4 * MAX_TITLE], autojunk=False)


def _score(line: Line, head: _Head, distance: int) -> float:
    text = line.text
    if not text:
        return 0.0
    return (
        looks(line).score
        - SITE_NAME * _is_site_name(text, head)
        + 3 * _shared(text, head) / len(text)
        - 0.1 * min(distance, LOOK_BACK)
        - 2 * text.endswith("。")
        - 5 * (_length(text) > MAX_TITLE)
    )


def _length(text: str) -> int:
    """Counts characters. A word of another script counts as WORD_LENGTH: a title says as much in any language."""
    return len(WORD.sub("x" * WORD_LENGTH, text).replace(" ", ""))


def _is_site_name(text: str, head: _Head) -> bool:
    """Returns whether the text is in the last part of the head's title and in no other part."""
    *others, last = head.parts or [""]
    return bool(others) and text in last and not any(text in part for part in others)


def _shared(text: str, head: _Head) -> int:
    """Returns the length of the longest string that paragraph and head title share."""
    if text in head.text:
        return len(text)
    if len(text) > 4 * MAX_TITLE:
        return 0
    head.matcher.set_seq1(text)
    return head.matcher.find_longest_match().size


def _joined(lines: Sequence[Line], place: int, head: str) -> str:
    """Step 3: joins two paragraphs of one style into one title if the head's title has the second one too."""
    text, style = lines[place].text, looks(lines[place])
    for neighbour in (place + 1, place - 1):
        if not 0 <= neighbour < len(lines) or style.score <= 0:
            continue
        other = lines[neighbour].text
        first, second = (text, other) if neighbour > place else (other, text)
        if not other or other not in head or other in text or first.endswith(SENTENCE_END):
            continue
        if _length(first + second) <= MAX_JOINED and looks(lines[neighbour]) == style:
            return f"{first} {second}" if first[-1].isascii() and second[0].isascii() else first + second
    return text


def looks(line: Line) -> Looks:
    """Returns the looks of a paragraph, from its element, those around it, and those inside."""
    block = line.block
    around = [block, *_nearest(block)]
    styled = [*around, *line.styles]
    css = ";".join(element.get("style") or "" for element in styled)
    return Looks(
        level=int(block.tag[1]) if block.tag in ("h1", "h2", "h3", "h4", "h5", "h6") else 0,
        font=_font_size(line.styles, css),
        centred=any(e.tag == "center" or (e.get("align") or "").lower() == "center" for e in around)
        or CENTRED.search(css) is not None,
        coloured=any(e.tag == "font" and e.get("color") for e in styled) or COLOURED.search(css) is not None,
        bold=any(e.tag in ("b", "strong") for e in styled) or BOLD.search(css) is not None,
    )


def _nearest(block: HtmlElement) -> list[HtmlElement]:
    """Returns the elements around a block whose looks reach it. The frame of the page says nothing about one
    paragraph."""
    around: list[HtmlElement] = []
    parent = block.getparent()
    while parent is not None and len(around) < STYLE_LEVELS and parent.tag not in ("body", "html"):
        around.append(parent)
        parent = parent.getparent()
    return around


def _font_size(styles: Sequence[HtmlElement], css: str) -> float:
    """Returns the largest size in the paragraph as an HTML size."""
    sizes: list[float] = []
    for element in styles:
        size = FONT_TAG.match(element.get("size") or "") if element.tag == "font" else None
        if element.tag == "big":
            sizes.append(NORMAL_FONT + 1)
        elif size is not None:
            sizes.append(int(size[0]) + (NORMAL_FONT if size[1] else 0))
    sizes += [
        float(number) * PIXELS[unit.lower()] / PIXELS_PER_SIZE
        for number, unit in FONT_SIZE.findall(css)
        if _is_number(number)
    ]
    return max(1.0, min(7.0, max(sizes))) if sizes else float(NORMAL_FONT)


def _is_number(text: str) -> bool:
    return text.count(".") <= 1 and text != "."
