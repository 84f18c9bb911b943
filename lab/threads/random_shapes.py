"""Shapes of threads that no software prints: the parts of a post in some order, in some elements, with some names.

Software comes and goes, and most boards have a style of their own; what is common to all of these is what a thread is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lab.threads.shapes import Shape, nodes_of

FAMILIES = 6  # into which the shapes are dealt, so that a training can leave out some
CONTAINERS = (
    ("div", "div"),
    ("div", "div"),
    ("li", "ul"),
    ("li", "ol"),
    ("article", "div"),
    ("section", "main"),
    ("tr", "table"),
    ("table", "div"),
    ("dl", "div"),
)  # of a post, of all posts
LIST_NAMES = ("", ".list", ".posts", ".comments", ".answers", ".replies", ".box", ".wrap", ".thread-list")
POST_NAMES = ("", ".item", ".post", ".floor", ".comment", ".cell", ".reply-item", ".media", ".answer")
BODY_NAMES = ("", ".content", ".text", ".message", ".c", ".txt", ".body", ".post-content", ".reply")
PART_NAMES = ((".who", ".when"), (".user", ".meta"), (".l", ".r"), ("", ""), (".author", ".date"), (".avatar", ".info"))
HEADS = ("h1(TITLE)", "div.hd(h1(TITLE) COUNTS)", "h2.title(TITLE)", "div.head(TITLE) div.info(COUNTS)", "")
BETWEEN = ("", "", "COUNTED", "h3(COUNTED)", "div.bar(COUNTED BUTTONS)")
WHO = ("NAME", "AVATAR NAME", "NAME LEVEL", "AVATAR NAME LEVEL", "AVATAR a.name(NAME)", "span.user(NAME)")
WHEN = ("DATE", "span.time(DATE)", "FLOOR DATE", "DATE FROM", "em(DATE) SEE", "DATE span.num(FLOOR)", "time(DATE)")
CLOSING = ("BUTTONS", "div.foot(BUTTONS)", "ul(BUTTONS)", "VOTES BUTTONS", "div.op(VOTES)", "")
ADDRESSES = ("thread/{n}", "t/{n}", "topic/{n}", "post/{n}.html", "p/{n}", "{n}.html", "detail?id={n}", "a/{n}")


def random_shape(number: int, random: np.random.Generator) -> Shape:
    """Another one each time; its family is one of FAMILIES, by its number."""
    draw = _Draw(random)
    tag, around = CONTAINERS[int(random.integers(len(CONTAINERS)))]
    first = draw.post("article" if tag == "li" else "div") if draw.chance(0.5) else ""
    posts = f"{around}{draw.one(LIST_NAMES)}(POSTS)"
    thread = f"{draw.one(HEADS)} {f'FIRST {draw.one(BETWEEN)}' if first else ''} {posts}"
    if draw.chance(0.6):
        thread = f"div{draw.one(('', '.main', '.content', '.container', '#wrapper', '.left'))}({thread})"
    reply = draw.post(draw.one(("div", "li", "p")), inner=True) if draw.chance(0.35) else ""
    return Shape(
        family=f"random-{number % FAMILIES}",
        thread=nodes_of(thread),
        post=nodes_of(draw.post(tag, has_replies=bool(reply))),
        first=nodes_of(first),
        reply=nodes_of(reply),
        address=draw.one(ADDRESSES),
        breaks=("br", "p", "div", "brbr"),
    )


@dataclass(frozen=True, slots=True)
class _Draw:
    random: np.random.Generator

    def one(self, options: tuple[str, ...]) -> str:
        return options[int(self.random.integers(len(options)))]

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def post(self, tag: str, inner: bool = False, has_replies: bool = False) -> str:
        """A post in an element of that tag; `inner`: an answer inside of a post."""
        who, when, body = self.one(WHO), self.one(WHEN), self.body(tag)
        rest = self.one(CLOSING)
        if self.chance(0.25) and not inner:
            rest += " SIGN"
        if has_replies:
            rest += self.one((" REPLIES", " div.sub(REPLIES)"))
        left, right = PART_NAMES[int(self.random.integers(len(PART_NAMES)))]
        if tag in ("tr", "table"):
            cells = f"td{left}({who}) td{right}({when} {body} {rest})"
            if self.chance(0.4):
                cells = f"td{left}({who} br {when}) td{right}({body} {rest})"
            return f"tr({cells})" if tag == "tr" else f"table{self.one(('', '.post', '.tb'))}(tr({cells}))"
        if tag == "dl":
            return f"dl(dt({who} {when}) dd({body} {rest}))"
        meta = self.one(("div", "p", "h4", "header", "span"))
        parts = (
            f"div{left}({who}) div{right}({meta}({when}) {body} {rest})",
            f"{meta}{left}({who} {when}) {body} {rest}",
            f"{body} {meta}{left}({who} {when}) {rest}",
            f"{meta}{left}({who}) {body} {meta}{right}({when} {rest})",
        )
        return f"{tag}{self.one(POST_NAMES)}({self.one(parts)})"

    def body(self, tag: str) -> str:
        own = self.one(("div", "div", "p", "span", "td"))
        name = self.one(BODY_NAMES)
        if own == "td" and tag not in ("tr", "table"):
            body = f"table(tr(td{name}(BODY)))"
        else:
            body = f"{'div' if own == 'td' else own}{name}(BODY)"
        return f"div{self.one(('', '.wrap', '.inner', '.bd'))}({body})" if self.chance(0.3) else body
