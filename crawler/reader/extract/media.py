"""Links and pictures of a body, for those who ask for them: the networks need none, so blocks do not hold them.

The page is read once more, with marks in its text where a link begins or ends and where a picture is. The blocks
of this tree are those of the page, with marks in them, and some more that hold nothing but a mark: pictures beside the
text.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from crawler.reader.extract.blocks import Blocks, read_again
from crawler.reader.html.invisible import REFUSED
from crawler.reader.html.page import Page
from crawler.reader.html.urls import canonical
from crawler.reader.text.measures import CJK_GAP
from crawler.records import BodyLink, Image

OPEN, CLOSE, PICTURE, STOP = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"  # no characters, by Unicode; a number follows
MARK = re.compile(f"{CLOSE}|[{OPEN}{PICTURE}](\\d+){STOP}")
SOURCES = ("data-original", "data-src", "data-lazy-src", "data-actualsrc", "zoomfile", "file", "src")  # late ones first
SCHEME = re.compile(r"\s*[a-z][a-z0-9+.-]*:", re.I)
NO_PICTURE = re.compile(r"emoji|emot|smil|avatar|icon|logo|qr_?code|spacer|blank\.|loading|placeholder", re.I)
SMALL = 50  # pixels: a picture that declares less is an icon
MOSTLY = 0.5  # share of the text around a picture that is of the body
FIGURE = frozenset(["figure"])  # holds a picture's caption, so its text does not tell where the picture is
LEVELS = 3  # elements around a picture, one of which may be the figure

Span = tuple[int, int, str]  # of a link in a block: where it begins and ends, and its address


@dataclass(slots=True)
class Media:
    """Links and images of a page, by blocks as `read_blocks` numbers them."""

    links: dict[int, list[Span]] = field(default_factory=dict)
    images: dict[int, list[tuple[int, Image]]] = field(default_factory=dict)  # with places in the text
    beside: dict[int, list[Image]] = field(default_factory=dict)  # between the block and the one before it

    def body_links(self, rows: list[int], texts: list[str]) -> tuple[BodyLink, ...]:
        """Returns the links of some blocks, each once."""
        spans = ((row, span) for row in rows for span in self.links.get(row, ()))
        found = (BodyLink(url, CJK_GAP.sub("", texts[row][start:end].strip())) for row, (start, end, url) in spans)
        return tuple(dict.fromkeys(link for link in found if link.text))

    def body_images(self, rows: list[int]) -> tuple[Image, ...]:
        """Returns the pictures in some blocks and beside them, each once."""
        within = set(rows)
        found: list[Image] = []
        for row in sorted(within | self.beside.keys()):
            found += self.beside.get(row, ())
            found += [image for _, image in self.images.get(row, ()) if row in within]
        return tuple({image.url: image for image in reversed(found)}.values())[::-1]


def read_media(page: Page, blocks: Blocks, rows: list[int], links: bool = True, images: bool = True) -> Media:
    """Finds links and pictures. `rows`: the blocks of the body, by which pictures beside it are told."""
    tree = deepcopy(page.tree)
    marked = list(tree.iter("a", "img"))
    raised = {link for sup in tree.iter("sup") for link in sup.iter("a")}
    for number, element in enumerate(marked):
        # Marks of notes are told by their text; no link within the page is shown.
        if element in raised or (element.get("href") or "").startswith("#"):
            continue
        if element.tag == "img" and images:
            element.tail = f"{PICTURE}{number}{STOP}{_accepted(element.tail)}"
        elif element.tag == "a" and links and element.get("href"):
            element.text = f"{OPEN}{number}{STOP}{_accepted(element.text)}"
            if len(element):
                element[-1].tail = f"{_accepted(element[-1].tail)}{CLOSE}"
            else:
                element.text += CLOSE
    return _Reader(page, marked, read_again(blocks, page, tree), blocks.texts, set(rows)).media


def _accepted(text: str | None) -> str:
    """A text that lxml takes again, as long as it was and with the same blanks."""
    return REFUSED.sub(lambda each: " " if each[0].isspace() else "\ufffd", text or "")


class _Reader:
    def __init__(self, page: Page, marked: list[HtmlElement], blocks: Blocks, texts: list[str], rows: set[int]) -> None:
        self.page, self.marked, self.blocks, self.rows = page, marked, blocks, rows
        self.media = Media()
        self.address: str | None = None  # of the link that is open
        own = [bool(MARK.sub("", text).strip()) for text in blocks.texts]
        self.number: list[int] = []  # of the next block of the page, for each block
        row = 0
        for is_block in own:
            self.number.append(row)
            row += is_block
        for place, is_block in enumerate(own):
            row = self.number[place]
            if is_block and row < len(texts):
                self._block(row, blocks.texts[place], texts[row])
            else:
                self._between(place, row)

    def _block(self, row: int, marked: str, text: str) -> None:
        """Finds where the marks of a block are in its text, which may have fewer blanks."""
        start = at = before = 0
        if OPEN not in marked and CLOSE not in marked and PICTURE not in marked:
            self._link(row, 0, len(text))
            return
        for match in [*MARK.finditer(marked), None]:
            for letter in marked[before : match.start() if match else len(marked)]:
                at += at < len(text) and (letter == text[at] or (not letter.isspace() and not text[at].isspace()))
            if match is None:
                break
            before = match.end()
            if match[0][0] == PICTURE:
                if image := self._image(match):
                    self.media.images.setdefault(row, []).append((at, image))
            else:
                self._link(row, start, at)
                self.address, start = self._target(match), at
        self._link(row, start, len(text))

    def _link(self, row: int, start: int, end: int) -> None:
        if self.address and end > start:
            self.media.links.setdefault(row, []).append((start, end, self.address))

    def _target(self, match: re.Match[str]) -> str | None:
        if match[0] == CLOSE:
            return None
        href = self.marked[int(match[1])].get("href") or ""
        address = canonical(href, self.page.base)
        return None if address == self.page.url else address

    def _between(self, place: int, row: int) -> None:
        for match in MARK.finditer(self.blocks.texts[place]):
            if match[0][0] != PICTURE:
                self.address = self._target(match)
            elif self.rows & {row - 1, row} and self._stands_in_body(place) and (image := self._image(match)):
                self.media.beside.setdefault(row, []).append(image)

    def _stands_in_body(self, place: int) -> bool:
        """Whether most of the text in the smallest element with text around a picture is of the body."""
        blocks = self.blocks
        element = int(blocks.owners[place])
        while True:
            inside = range(int(blocks.first[element]), int(blocks.last[element]))
            sizes = {self.number[each]: len(MARK.sub("", blocks.texts[each])) for each in inside}
            whole = sum(sizes.values())
            if (whole and blocks.tags[element] not in FIGURE) or not element:
                own = sum(size for row, size in sizes.items() if row in self.rows)
                return own > 0 and own >= MOSTLY * whole
            element = int(blocks.parents[element])

    def _image(self, match: re.Match[str]) -> Image | None:
        element = self.marked[int(match[1])]
        source = next((value for name in SOURCES if (value := element.get(name))), "")
        sizes = [element.get(name, "").removesuffix("px") for name in ("width", "height")]
        if any(size.isdecimal() and int(size) < SMALL for size in sizes):
            return None
        url = canonical(source, self.page.base) if source else None
        if not url and not self.page.base and not SCHEME.match(source):  # of a file without an address
            url = source.strip() or None
        if url is None or NO_PICTURE.search(f"{url.rpartition('/')[2]} {element.get('class', '')}"):
            return None
        return Image(url, _caption(element))


def _caption(image: HtmlElement) -> str:
    for _, element in zip(range(LEVELS), image.iterancestors(), strict=False):
        if element.tag == "figure" and (below := element.find(".//figcaption")) is not None:
            return MARK.sub("", " ".join(below.text_content().split()))
    return " ".join((image.get("alt") or image.get("title") or "").split())
