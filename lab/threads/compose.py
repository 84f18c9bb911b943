"""Composes the markup of a page: a thread in a shape, and around it what forums print."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lab.threads.shapes import Node, Shape
from lab.threads.slots import Post, Slots, Thread
from lab.threads.style import Style
from lab.threads.words import words

WRAPPED = 0.12  # chance of an element to get another one inside, in all posts of a page
WHOLE = frozenset(["table", "tr", "ul", "ol", "dl"])  # elements that may hold none but their own
BOARDS = (
    ("table", "tr", "td"),
    ("table", "tr", "td"),
    ("ul", "li", "div"),
    ("ul", "li", "span"),
    ("div", "div", "div"),
    ("div", "dl", "dd"),
    ("div", "article", "p"),
)  # around a list of threads, of each, of each part of it
SEPARATORS = (" - ", "_", " | ", "-", " – ")  # in a head


def page(shape: Shape, thread: Thread, random: np.random.Generator) -> str:
    """The markup, MARK before each text of the body."""
    return _Composer(shape, thread, Style(random, words())).page()


@dataclass(slots=True)
class _Composer:
    shape: Shape
    thread: Thread
    style: Style
    slots: Slots = field(init=False)

    def __post_init__(self) -> None:
        self.slots = Slots(self.thread, self.style, self.shape.breaks, self.box)

    def page(self) -> str:
        style, article = self.style, self.thread.kind == "article"
        board = style.one(style.words.channels if article else style.words.boards)
        site = style.one(style.words.papers if article else style.words.sites)
        heads = [self.thread.title] + [board] * style.chance(0.5) + [site] * style.chance(0.8)
        head = f"<head><title>{html.escape(style.one(SEPARATORS).join(heads))}</title></head>"
        before = [self.menu() for _ in range(style.number(1, 3))]
        before += [self.crumb(site, board)] * style.chance(0.7)
        before += [self.box()] * style.chance(0.25) + [self.tools()] * style.chance(0.4)
        middle = style.element("div", style.one(("wp", "container", "main", "wrap", "page", "")), self.columns())
        return f"<html>{head}<body>{''.join(before)}{middle}{self.footer()}</body></html>"

    def columns(self) -> str:
        """Writes the thread and what is below it, with boxes beside them on some pages."""
        style = self.style
        behind = [self.tools()] * style.chance(0.4) + [self.pages()] * style.chance(0.4)
        behind += [self.form()] * style.chance(0.6) + [self.box() for _ in range(style.number(0, 4))]
        written = {"forum": self.posts, "article": self.article, "list": self.board}[self.thread.kind]
        main = written() + "".join(behind)
        if not style.chance(0.45):
            return main
        boxes = "".join(self.box() for _ in range(style.number(1, 5)))
        side = style.element("div", style.one(("side", "aside", "right", "sd", "col2")), boxes)
        return side + main if style.chance(0.3) else main + side

    def posts(self) -> str:
        """Writes the thread in its shape."""
        shape = self.shape
        post, first, reply = self.vary(shape.post), self.vary(shape.first), self.vary(shape.reply)
        opening, *others = self.thread.posts
        start = 2 if first else 1
        listed = others if first else self.thread.posts
        parts = {
            "FIRST": self.write(first, opening, 1, reply),
            "POSTS": "".join(self.write(post, each, floor, reply) for floor, each in enumerate(listed, start)),
        }
        return self.write(self.vary(shape.thread), opening, 1, (), parts)

    def article(self) -> str:
        """Writes an article, and below it what readers say, in the shape of posts."""
        style, slots = self.style, self.slots
        opening, *others = self.thread.posts
        post, reply = self.vary(self.shape.post), self.vary(self.shape.reply)
        told = [slots.write(name, opening, 1) for name in style.some(("NAME", "DATE", "COUNTS", "FROM"), 2)]
        head = style.element(style.one(("h1", "h1", "h2", "div")), style.one(("title", "", "hd")), slots.title(opening))
        line = style.element(style.one(("div", "p", "span")), style.one(("info", "meta", "source", "")), " ".join(told))
        text = style.element("div", style.one(("content", "article", "text", "detail", "")), slots.body(opening))
        tools = self.tools() if style.chance(0.5) else ""
        main = style.element("div", style.one(("article", "main", "left", "")), head + line + text + tools)
        comments = "".join(self.write(post, each, floor, reply) for floor, each in enumerate(others, start=1))
        name = style.one(("comments", "comment-list", "pinglun", "reply", ""))
        said = style.element("div", name, slots.write("COUNTED", opening, 1) + comments)
        return main + (self.box() if style.chance(0.5) else "") + said

    def board(self) -> str:
        """Writes the titles of threads, with who wrote them and when."""
        style, post = self.style, self.thread.posts[0]
        around, row, cell = BOARDS[style.number(0, len(BOARDS))]
        told = style.some(("NAME", "DATE", "COUNTS", "AVATAR", "VOTES", "LINK"), style.number(1, 5))
        place = style.number(0, len(told) + 1)
        names = [style.one(("title", "subject", "", "s_xst")), *(style.one(("by", "num", "info", "")) for _ in told)]
        has_teaser = style.chance(0.2)
        rows = []
        for title in self.thread.others[: style.number(12, len(self.thread.others))]:
            head = style.link(title) + (f"<p>{html.escape(style.one(self.thread.others))}</p>" if has_teaser else "")
            cells = [self.slots.write(name, post, 1) for name in told]
            cells.insert(place, head)
            written = [style.element(cell, name, text) for name, text in zip(names, cells, strict=True)]
            rows.append(style.element(row, "item", "".join(written)))
        head = style.element("h1", "", html.escape(self.thread.title)) if style.chance(0.5) else ""
        return head + style.element(around, style.one(("threadlist", "list", "topics", "")), "".join(rows))

    def vary(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Returns the same nodes with another element inside of some: no two boards have the same style."""
        varied = []
        for node in nodes:
            children = self.vary(node.children)
            if children and node.tag not in WHOLE and self.style.chance(WRAPPED):
                children = (Node("div", self.style.one(("inner", "box", "wrap", "", "cl", "bd")), "", children),)
            varied.append(Node(node.tag, node.classes, node.id, children))
        return tuple(varied)

    def write(
        self, nodes: Sequence[Node], post: Post, floor: int, reply: Sequence[Node], parts: dict[str, str] | None = None
    ) -> str:
        """Writes the nodes with their slots filled; `parts` are written already."""
        texts = []
        for node in nodes:
            if not node.is_slot:
                inner = self.write(node.children, post, floor, reply, parts)
                texts.append(self.style.element(node.tag, node.classes, inner, node.id))
            elif parts and node.tag in parts:
                texts.append(parts[node.tag])
            elif node.tag == "REPLIES":
                texts.extend(self.write(reply, each, floor, ()) for each in post.replies)
            else:
                texts.append(self.slots.write(node.tag, post, floor))
        return " ".join(texts)

    def menu(self) -> str:
        style = self.style
        name = style.one(("nav", "hd", "top", "menu", "header", ""))
        links = style.listed(style.some(style.words.menu, style.number(4, 16)))
        return style.element(style.one(("div", "nav", "header")), name, links)

    def crumb(self, site: str, board: str) -> str:
        style = self.style
        steps = [style.link(site), style.link(board)] + [html.escape(self.thread.title)] * style.chance(0.5)
        inner = style.one((" > ", " › ", " » ", " / ")).join(steps)
        return style.element("div", style.one(("crumb", "bm cl", "nav", "path", "breadcrumb")), inner)

    def box(self) -> str:
        """Writes a list of links to other threads, or of users."""
        style = self.style
        texts = style.words.names if style.chance(0.15) else self.thread.others
        entries = style.some(texts, style.number(3, 12))
        if style.chance(0.35):
            entries = [f"{entry} {style.one(('{n}', *style.words.stamps))}" for entry in entries]
        tag, name = style.one(("h3", "h2", "div", "strong", "h4")), style.one(("hd", "title", ""))
        head = style.element(tag, name, style.one(style.words.boxes))
        around = style.one(("box", "bm", "hot", "related", "widget", "card", "recommend", ""))
        return style.element("div", around, head + style.listed(entries))

    def tools(self) -> str:
        links = self.style.row(self.style.some(self.style.words.buttons, 3), links=True)
        return self.style.element("div", self.style.one(("pgs", "tools", "bar", "toolbar", "")), links)

    def pages(self) -> str:
        links = "".join(map(self.style.link, "1234>"))
        return self.style.element("div", self.style.one(("pg", "pager", "pagination", "")), links)

    def form(self) -> str:
        style = self.style
        texts = style.row(style.some(style.words.form, style.number(1, 6)))
        name = style.one(("reply", "fastpost", "editor", "comment-form", ""))
        return style.element(style.one(("form", "div")), name, texts)

    def footer(self) -> str:
        style = self.style
        texts = style.row(style.some(style.words.footer, style.number(2, 9)))
        name = style.one(("footer", "ft", "bottom", "copyright", ""))
        return style.element(style.one(("div", "footer")), name, texts)
