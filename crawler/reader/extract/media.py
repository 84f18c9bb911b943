"""Links and pictures of a body, for those who ask for them: the networks need none, so blocks do not hold them.

They are told by the marks that the blocks keep on wish, where a link begins or ends and where a picture is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from lxml.html import HtmlElement

from crawler.reader.extract.blocks import BETWEEN, Blocks, Mark
from crawler.reader.html.page import Page
from crawler.reader.html.urls import canonical
from crawler.reader.text.measures import CJK_GAP
from crawler.records import BodyLink, Image

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
    """Links and images of a body, by blocks as `read_blocks` numbers them."""

    links: dict[int, list[Span]] = field(default_factory=dict)
    # With places in the text; those between the block and the one before it have BETWEEN.
    images: dict[int, list[tuple[int, Image]]] = field(default_factory=dict)

    def body_links(self, texts: list[str]) -> tuple[BodyLink, ...]:
        """Returns the links, each once."""
        spans = ((texts[row][start:end], url) for row, own in self.links.items() for start, end, url in own)
        found = (BodyLink(url, CJK_GAP.sub("", text.strip())) for text, url in spans)
        return tuple(dict.fromkeys(link for link in found if link.text))

    def body_images(self) -> tuple[Image, ...]:
        """Returns the pictures in the blocks and beside them, each once."""
        found = [image for own in self.images.values() for _, image in own]
        return tuple({image.url: image for image in reversed(found)}.values())[::-1]


def read_media(page: Page, blocks: Blocks, rows: list[int], links: bool = True, images: bool = True) -> Media:
    """Finds links and pictures. `blocks`: with marks; `rows`: those of the body."""
    reader = _Reader(page, blocks, frozenset(rows))
    if images:
        reader.find_images()
    if links:
        reader.find_links()
    return reader.media


class _Reader:
    def __init__(self, page: Page, blocks: Blocks, rows: frozenset[int]) -> None:
        self.page, self.blocks, self.rows = page, blocks, rows
        self.media = Media()
        self.letters: dict[int, list[int]] = {}  # places of a block's characters that are not blank

    def find_images(self) -> None:
        sizes = [len(text) for text in self.blocks.texts]
        whole = [0, *accumulate(sizes)]
        own = [0, *accumulate(size * (row in self.rows) for row, size in enumerate(sizes))]
        row_of = {element: row for row, element in enumerate(self.blocks.elements)}

        def stands_in_body(picture: HtmlElement) -> bool:
            """Whether most of the text in the smallest element with text around a picture is of the body."""
            rows = ((row_of.get(element, -1), element.tag) for element in picture.iterancestors())
            around = next((row for row, tag in rows if row == 0 or (row > 0 and tag not in FIGURE)), 0)
            first, last = self.blocks.first[around], self.blocks.last[around]
            return bool(0 < own[last] - own[first] >= MOSTLY * (whole[last] - whole[first]))

        for mark in self.blocks.marks:
            row, element, is_beside = mark.row, mark.element, mark.letters == BETWEEN
            if element is None or element.tag != "img" or self.rows.isdisjoint({row, row - is_beside}):
                continue
            if (not is_beside or stands_in_body(element)) and (image := self._image(element)):
                self.media.images.setdefault(row, []).append((self._place(mark), image))

    def find_links(self) -> None:
        ends = [mark for mark in self.blocks.marks if mark.element is None or mark.element.tag == "a"]
        for mark, end in pairwise(ends):
            held = [row for row in range(mark.row, end.row + 1) if row in self.rows]
            address = self._target(mark.element) if held and mark.element is not None else None
            for row in held if address else ():
                start = max(self._place(mark), 0) if row == mark.row else 0
                stop = self._place(end) if row == end.row else len(self.blocks.texts[row])
                if address and start < stop:
                    self.media.links.setdefault(row, []).append((start, stop, address))

    def _place(self, mark: Mark) -> int:
        """Returns where a mark is in the text of its block."""
        if mark.letters == BETWEEN:
            return BETWEEN
        text, row = self.blocks.texts[mark.row], mark.row
        if row not in self.letters:
            self.letters[row] = [place for place, letter in enumerate(text, start=1) if not letter.isspace()]
        place = self.letters[row][min(mark.letters, len(self.letters[row])) - 1] if mark.letters else 0
        while mark.behind_blank and place < len(text) and text[place].isspace():
            place += 1
        return place

    def _target(self, link: HtmlElement) -> str | None:
        """The address of a link. Marks of notes are told by their text; no link within the page is shown."""
        href = link.get("href") or ""
        if not href or href.startswith("#") or next(link.iterancestors("sup"), None) is not None:
            return None
        address = canonical(href, self.page.base)
        return None if address == self.page.url else address

    def _image(self, element: HtmlElement) -> Image | None:
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
            return " ".join(below.text_content().split())
    return " ".join((image.get("alt") or image.get("title") or "").split())
