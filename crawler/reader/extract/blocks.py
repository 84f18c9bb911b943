"""A page as a table of text blocks and of the block elements around them. The features are made of it.

A block is the text between two borders: the start or end of a block element (`html.blocks.BLOCKS`), or a `br`. Blocks
are disjoint, are in document order, and hold all text that a reader may see. A program (`pre`) is one block with all
its lines. A block that is hidden by style is marked, not dropped, as a script may show it. Words hidden within a line
are dropped if no name leads to them: some forums scatter such words over posts against copying. So are marks of notes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray

from crawler.reader.extract.words import GROUPS, HIDDEN, HIDDEN_STYLE, is_message, name_mask
from crawler.reader.html.blocks import BLOCKS, TWICE, UNSEEN, broken_text
from crawler.reader.html.columns import CELLS, Place, places_of
from crawler.reader.html.hidden import hidden_elements
from crawler.reader.html.page import Page
from crawler.reader.html.program_language import language_of
from crawler.reader.html.stamps import TIME

MAX_BLOCKS = 20_000  # blocks read of a page: 60,000 took 1.8 s of a processor and 370 MB for a table of no use
# Classes of inline elements: what MediaWiki sets behind headings, and the noise of Discuz against copying.
UNTOLD = TWICE | {"mw-editsection", "jammer"}
# What an encyclopaedia sets behind a sentence, to its notes: [1], [3-4], [注 2].
REFERENCE = re.compile(
    r"\s*[\[［〔【]\s*(?:注|note)?\s*(?:\d{1,3}|[a-z])(?:\s*[-–,、]\s*\d{1,3})*\s*[\]］〕】]\s*", re.I
)
# What a link from a sentence to its note says, where it is raised; and one from a note to its sentence.
RAISED = re.compile(r"\s*[\[(（]?(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})[\])）]?[.\s]*", re.I)
BACK = re.compile(r"[\s↩↑^⤴⏎\ufe0e]+")
# Characters that each are in an element of its own, beside one another, are one text: so it cannot be copied.
LETTER, BESIDE = 2, re.compile(r"(?<![\w-])(?:display\s*:\s*inline|float\s*:\s*left)", re.IGNORECASE)
MAX_BREAKS = 4  # in a link; one with more is a whole text: none of 5,011 labelled and recorded pages has one
MIN_TEXT = 400  # characters; a page with less outside of `noscript` may have its text inside
KEPT_BREAKS = frozenset(["pre", "listing", "xmp"])  # elements whose line breaks a reader sees
# Elements of a text. A `pre` without any of them is a program.
TEXT_PARTS = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "pre", "form", "article", "section", "nav", "center")
SKIPPED = (UNSEEN - {"head"}) | {"iframe", "frame", "map"}  # broken pages have their body inside of `head`
STYLED = frozenset(["b", "strong", "em", "i", "u", "font", "big", "mark"])
AROUND = ("nav", "footer", "header", "aside", "article", "main", "form", "table", "ul", "ol", "blockquote", "pre", "dl")
AROUND_BITS = {tag: 1 << bit for bit, tag in enumerate(AROUND, start=len(GROUPS))}
# Of a box with a button that takes it away, as Bootstrap has it: a notice of the site's.
NOTICE = 1 << (len(GROUPS) + len(AROUND))
UNSHOWN = NOTICE << 1  # of a block that the page hides
MESSAGE = UNSHOWN << 1  # of a block in an element that holds what a post says
DISMISS = ("data-dismiss", "data-bs-dismiss")  # attributes of the button
DIGITS = "0123456789"
BR, BLOCK, KEPT, LINK, STYLE, INLINE, SKIP = range(7)  # up to KEPT they end the block before them
CODES = (
    dict.fromkeys(BLOCKS, BLOCK)
    | dict.fromkeys(KEPT_BREAKS, KEPT)
    | dict.fromkeys(SKIPPED, SKIP)
    | dict.fromkeys(STYLED, STYLE)
    | {"a": LINK, "br": BR}
)

TELLS_AUTHOR = re.compile(r"itemprop=[\"']?author")  # what markup has whose microdata tell who wrote its posts
DATES = ("datePublished", "dateCreated")  # of microdata

NOWHERE = Place(0, 0)
BETWEEN = -1  # place of a mark that is in no block, but before one

Rows = NDArray[np.int64]
_NO_ROWS = np.zeros(0, np.int64)


Marks = list[tuple[int, HtmlElement | None]]  # of a block that is being read: the pieces before, the link or picture


class Mark(NamedTuple):
    """Where a link begins or ends, or a picture is."""

    row: int  # block; the next one where the mark is beside the text
    element: HtmlElement | None  # None: a link ends
    letters: int  # characters of the block before the mark, blanks not counted; or BETWEEN
    behind_blank: bool = False


@dataclass(slots=True)
class Blocks:
    """Columns of one length for the blocks, and columns of another length for the block elements with text; both in
    document order."""

    texts: list[str] = field(default_factory=list)  # blanks collapsed; inside of `pre` the lines are kept
    owners: Rows = field(default_factory=lambda: _NO_ROWS)  # row of the block element around the text
    link_chars: Rows = field(default_factory=lambda: _NO_ROWS)  # characters inside of links
    link_counts: Rows = field(default_factory=lambda: _NO_ROWS)  # links in the block
    styled_chars: Rows = field(default_factory=lambda: _NO_ROWS)  # characters inside of b, strong, font ...
    inline_masks: Rows = field(default_factory=lambda: _NO_ROWS)  # class words of inline elements, words.name_mask

    tags: list[str] = field(default_factory=list)
    parents: Rows = field(default_factory=lambda: _NO_ROWS)  # row of the block element around it; 0 for the first
    first: Rows = field(default_factory=lambda: _NO_ROWS)  # first block inside
    last: Rows = field(default_factory=lambda: _NO_ROWS)  # one behind the last block inside
    masks: Rows = field(default_factory=lambda: _NO_ROWS)  # class and id words of the element itself
    above: Rows = field(default_factory=lambda: _NO_ROWS)  # its mask and those of all around it, and AROUND tags
    depths: Rows = field(default_factory=lambda: _NO_ROWS)  # block elements above it
    kinds: Rows = field(default_factory=lambda: _NO_ROWS)  # number of its tag and class: equal ones look alike
    paths: Rows = field(default_factory=lambda: _NO_ROWS)  # number of its tag path
    styles: Rows = field(default_factory=lambda: _NO_ROWS)  # number of its path of tags and classes
    columns: Rows = field(default_factory=lambda: _NO_ROWS)  # of a cell, in its table; 0 for all others
    beyond: Rows = field(default_factory=lambda: _NO_ROWS)  # of a cell, columns.Place.beyond
    languages: dict[int, str] = field(default_factory=dict)  # of programs, by block; those that the page tells
    times: dict[int, str] = field(default_factory=dict)  # the first that an attribute tells, by block
    authors: dict[int, str] = field(default_factory=dict)  # the first that microdata tell, by block
    elements: list[HtmlElement] = field(default_factory=list)  # the block elements themselves
    marks: list[Mark] = field(default_factory=list)  # of links and pictures, for who asked for them


def read_blocks(page: Page, marked: bool = False) -> Blocks:
    """Returns the blocks of a page; `marked`: with marks where links and pictures are. `noscript` is read only if there
    is nearly no other text: some forums put all their text into it for readers without scripts."""
    hidden = hidden_elements(page.tree)
    blocks = _read(page.tree, CODES, hidden, marked, TELLS_AUTHOR.search(page.markup) is not None)
    if sum(map(len, blocks.texts)) < MIN_TEXT and next(page.tree.iter("noscript"), None) is not None:
        return _read(page.tree, CODES | {"noscript": BLOCK}, hidden, marked)
    return blocks


def _read(  # noqa: C901
    tree: HtmlElement, codes: dict[str, int], hidden: frozenset[HtmlElement], marked: bool, is_told: bool = False
) -> Blocks:
    """Walks over the elements once. An element ends when one comes that does not lie in it: lxml's events of starts and
    ends take longer. Everything is in one loop with plain variables: as short methods it took .15 of 2.7 ms a page
    more, over 1 % of `best`."""
    writer = _Writer(hidden, marked)
    stack, rows, found, code_of = writer.stack, writer.rows, writer.found, codes.get
    pieces: list[str] = []  # of the block that is being read
    marks: Marks = []  # of the same
    linked = links = styled = mask = 0  # of the same
    within = styling = kept = 0  # open links, styles, elements that keep line breaks

    def take(text: str) -> None:
        nonlocal linked, styled
        pieces.append(text)
        if within:
            linked += len(text.strip())
        if styling:
            styled += len(text.strip())

    outside = inmost = tree.getparent()  # the inmost open element
    code = INLINE  # of the same
    around: list[tuple[HtmlElement | None, int]] = []  # open elements around it, and their codes
    for element in chain(tree.iter(), [None]):
        parent = outside if element is None else element.getparent()
        while inmost is not parent:
            if code <= KEPT:
                if pieces or marks:
                    writer.block(pieces, marks, linked, links, styled, mask, kept > 0)
                linked = links = styled = mask = 0
                if code != BR:
                    stack.pop()
                    if len(rows) > len(stack):
                        writer.last[rows.pop()] = len(found)
                    if code == KEPT:
                        kept -= 1
            elif code == LINK:
                within -= 1
                if marked:
                    marks.append((len(pieces), None))
            elif code == STYLE:
                styling -= 1
            text = inmost.tail
            inmost, code = around.pop()
            if text and code != SKIP and (pieces or not text.isspace()):
                take(text)
        if element is None:
            break
        around.append((inmost, code))
        inmost = element
        if code == SKIP:
            continue
        tag = element.tag
        code = code_of(tag, INLINE)
        if is_told and (item := element.get("itemprop")):
            if item == "author" and len(found) not in writer.authors:
                writer.authors[len(found)] = name_of(element)
            elif item in DATES and (told := element.get("content") or element.get("datetime")):
                writer.times.setdefault(len(found), told)
        if code == LINK and len(element) > MAX_BREAKS and len(element.findall("br")) > MAX_BREAKS:
            code = INLINE
        if code == BLOCK and len(element.text or "") <= LETTER and not len(element):
            code = INLINE if BESIDE.search(element.get("style") or "") else BLOCK
        if KEPT < code < SKIP and element in hidden:
            code = BLOCK if next(element.iterdescendants(*BLOCKS), None) is not None else SKIP
        if code == SKIP:
            continue
        text = element.text
        is_time = tag == "time" or (text is None and code >= LINK and not len(element))
        if is_time and (told := _time(element)):
            writer.times.setdefault(len(found), told)
        if code <= KEPT:
            if pieces or marks:
                writer.block(pieces, marks, linked, links, styled, mask, kept > 0)
                if len(found) >= MAX_BLOCKS:
                    break
            linked = links = styled = mask = 0
            if code == KEPT and next(element.iterdescendants(TEXT_PARTS), None) is None:
                stack.append(element)
                writer.program(element)
                stack.pop()
                code = SKIP
                continue
            if code != BR:
                stack.append(element)
                if code == KEPT:
                    kept += 1
        elif code == INLINE:
            if marked and tag == "img":
                marks.append((len(pieces), element))
            if tag == "sup" and REFERENCE.fullmatch("".join(element.itertext())):
                code = SKIP
                continue
            if name := element.get("class"):
                if name in UNTOLD:
                    code = SKIP
                    continue
                mask |= name_mask(name)
        elif code == LINK:
            target = element.get("href") or ""
            if target[:1] == "#" and _is_mark(element):
                code = SKIP
                continue
            within += 1
            links += 1
            if marked:
                marks.append((len(pieces), element))
        elif element.get("class") == "jammer":
            code = SKIP
            continue
        else:
            styling += 1
        if text and (pieces or not text.isspace()):
            take(text)
    return writer.finish()


def _time(element: HtmlElement) -> str | None:
    """The time that an attribute tells: of a `time`, or of an element whose words a script writes."""
    is_time = element.tag == "time"
    told: str | None = element.get("datetime" if is_time else "title")
    return told if is_time or (told and TIME.fullmatch(told)) else None


def name_of(author: HtmlElement) -> str:
    """The name in an element of who wrote; "" for a number."""
    named = (part for part in author.iter() if part.get("itemprop") == "name")
    held = next(named, next(author.iter("a"), author))
    name = " ".join((held.get("content") or held.text_content()).split())
    return "" if name.isdecimal() else name


def _is_mark(link: HtmlElement) -> bool:
    """Returns whether a link leads from a sentence to a note, or back."""
    text = "".join(link.itertext())
    if REFERENCE.fullmatch(text) or BACK.fullmatch(text):
        return True
    raised = link.getparent().tag == "sup" or next(link.iter("sup"), None) is not None
    return raised and RAISED.fullmatch(text) is not None


def _is_notice(element: HtmlElement) -> bool:
    """Whether the button is a direct child of the box. Nested boxes are not searched, which bounds the time."""
    return "alert" in element.get("class", "").split() and any(
        part.get(name) == "alert" for part in element for name in DISMISS
    )


# What elements have in common if tags, classes and id words are equal and the elements around them look alike: tag,
# mask, and the columns `above`, `depths`, `kinds`, `paths` and `styles` of Blocks.
_Look = tuple[str, int, int, int, int, int, int]


class _Writer:
    """Makes the rows. An element gets a row when its first text comes: many elements have none."""

    def __init__(self, hidden: frozenset[HtmlElement], marked: bool) -> None:
        self.hidden, self.marked = hidden, marked
        self.found: list[tuple[str, int, int, int, int, int]] = []  # the first six columns of Blocks, by rows
        self.stack: list[HtmlElement] = []  # open block elements
        self.rows: list[int] = []  # rows of the first of them
        self.places: dict[int, Place] = {}  # of the rows that are cells
        self.groups: dict[HtmlElement, dict[HtmlElement, Place]] = {}  # of the cells in each group of rows
        self.languages: dict[int, str] = {}
        self.times: dict[int, str] = {}
        self.authors: dict[int, str] = {}
        self.elements: list[HtmlElement] = []
        self.marks: list[Mark] = []
        self.parents: list[int] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.table: list[int] = []  # for each row the number of its look
        self.looks: list[_Look] = []
        self.number_of: dict[tuple[int, str, str | None, int], int] = {}  # of a look
        self.kinds: dict[tuple[str, str], int] = {}
        self.paths: dict[tuple[int, str], int] = {}
        self.styles: dict[tuple[int, int], int] = {}

    def block(
        self, pieces: list[str], marks: Marks, linked: int, links: int, styled: int, mask: int, kept: bool
    ) -> None:
        """Ends a block, and empties its lists."""
        letters, before, blank = 0, 0, False
        for number, element in marks:
            if part := "".join(pieces[before:number]):
                letters, before, blank = letters + len("".join(part.split())), number, part[-1].isspace()
            self.marks.append(Mark(len(self.found), element, letters if pieces else BETWEEN, blank))
        marks.clear()
        raw = "".join(pieces)
        pieces.clear()
        text = _lines(raw) if kept else " ".join(raw.split())
        if not text or len(self.found) >= MAX_BLOCKS:
            return
        rows, size = self.rows, len(text)
        if len(rows) < len(self.stack):
            self.open(self.stack[len(rows) :])
        linked = linked if linked < size else size
        self.found.append((text, rows[-1], linked, links, styled if styled < size else size, mask))

    def program(self, element: HtmlElement) -> None:
        """Makes one block of a program. Class words of its parts, such as "comment", speak of the program."""
        if language := language_of(element):
            self.languages[len(self.found)] = language
        links = list(element.iter("a"))
        linked = sum(len("".join(link.itertext()).strip()) for link in links)
        text, row, at = broken_text(element, kept=True), len(self.found), 0
        letters = "".join(text.split())
        for part in element.iter("a", "img") if self.marked else ():
            own = "".join("".join(part.itertext()).split())
            at = max(letters.find(own, at), at)
            self.marks.append(Mark(row, part, at if letters else BETWEEN))
            if part.tag == "a":
                self.marks.append(Mark(row, None, at := at + len(own)))
        self.block([text], [], linked, len(links), 0, 0, True)
        if len(self.rows) == len(self.stack):
            self.last[self.rows.pop()] = len(self.found)

    def open(self, elements: list[HtmlElement]) -> None:
        """Makes a row for each element, inside of the last row."""
        rows, table, number_of = self.rows, self.table, self.number_of
        parent = rows[-1] if rows else -1
        outer = table[parent] if rows else -1
        start = len(self.found)
        self.elements += elements
        for element in elements:
            get = element.get
            own, style, name = get("id"), get("style"), get("class")
            mask = name_mask(own.rstrip(DIGITS)) if own else 0
            if style and HIDDEN_STYLE.search(style):
                mask |= HIDDEN
            if element in self.hidden:
                mask |= UNSHOWN
            if is_message(element, name or "", own or ""):
                mask |= MESSAGE
            if name and "alert" in name and _is_notice(element):
                mask |= NOTICE
            key = (outer, element.tag, name, mask)
            number = number_of.get(key)
            if number is None:
                number = number_of[key] = len(self.looks)
                self.looks.append(self.look(*key))
            self.parents.append(parent)
            self.first.append(start)
            self.last.append(0)
            if element.tag in CELLS:
                self.places[len(table)] = self.place(element)
            parent, outer = len(table), number
            rows.append(parent)
            table.append(number)

    def place(self, cell: HtmlElement) -> Place:
        row = cell.getparent()
        group = row.getparent() if row.tag == "tr" else None
        if group is None:
            return NOWHERE
        if group not in self.groups:
            self.groups[group] = places_of(group)
        return self.groups[group][cell]

    def look(self, outer: int, tag: str, name: str | None, mask: int) -> _Look:
        # A name of the whole page ("single-post") says nothing about a block in it.
        name = name or ""
        mask = mask | name_mask(name) if tag not in ("body", "html") else 0
        kind = self.kinds.setdefault((tag, name), len(self.kinds))
        around = AROUND_BITS.get(tag, 0) | mask
        if outer < 0:
            return tag, mask, around, 0, kind, 0, 0
        _, _, above, depth, _, path, style = self.looks[outer]
        path = self.paths.setdefault((path, tag), len(self.paths) + 1)
        style = self.styles.setdefault((style, kind), len(self.styles) + 1)
        return tag, mask, above | around, depth + 1, kind, path, style

    def finish(self) -> Blocks:
        if not self.found:
            return Blocks()
        self.parents[0] = 0
        for row in self.rows:
            self.last[row] = len(self.found)
        texts, *columns = map(list, zip(*self.found, strict=True))
        tags, *looks = map(list, zip(*self.looks, strict=True))
        owners, linked, links, styled, inline = np.array(columns)
        parents, first, last = np.array([self.parents, self.first, self.last])
        places = np.zeros((2, len(self.table)), np.int64)
        for row, place in self.places.items():
            places[:, row] = place
        masks, above, depths, kinds, paths, styles = np.array(looks)[:, self.table]
        return Blocks(
            texts, owners, linked, links, styled, inline,
            [tags[number] for number in self.table], parents, first, last, masks, above, depths, kinds, paths, styles,
            places[0], places[1], self.languages, self.times, self.authors, self.elements, self.marks,
        )  # fmt: skip


def _lines(text: str) -> str:
    """Returns the text of a `pre` with its lines, without empty ones before and after it."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") if not text.isspace() else ""
