"""A page: markup and address. What is read of it is read once, when it is first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lxml.html import HtmlElement

from crawler.html.blocks import Layout, read_layout
from crawler.html.declared import Declared, read_declared
from crawler.html.tree import parse


@dataclass(frozen=True, eq=False)
class Page:
    """One HTML page. Whatever looks at a page takes a Page. Nothing may change it or its tree."""

    markup: str
    url: str = ""  # canonical form; "" when it is not known

    @cached_property
    def tree(self) -> HtmlElement:
        """The `html` element."""
        return parse(self.markup)

    @cached_property
    def layout(self) -> Layout:
        """The lines of text, and how the block elements lie in each other."""
        return read_layout(self.tree)

    @cached_property
    def declared(self) -> Declared:
        """What the page says about itself: title, meta tags, JSON-LD, `time` elements."""
        return read_declared(self.tree)
