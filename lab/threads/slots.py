"""What stands in the slots of a shape: the parts of a post, and what forums print around it."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass

from lab.threads.style import Style

MARK = "\ue000"  # before each text of the body: private use, so that no page has it
NAMES = ("<a href='u'>{}</a>", "<a href='u'>{}</a>", "<span>{}</span>", "{}", "<b>{}</b>")
AVATARS = ("<a href='u'><img src='a.gif'></a>", "<img src='a.gif'>", "<span>A</span>")
DATES = ("{}", "<span>{}</span>", "<em>{}</em>", "<time>{}</time>", "<a href='p'>{}</a>")
QUOTE_HEADS = ("<p>{}</p>", "{}<br>", "<div>{}</div>", "<cite>{}</cite><br>")
QUOTE_PLACES = ("own", "inside")  # in a slot of its own where the shape has one, in the text
IMAGE, EDITED, SIGNED, FILED, RATED = 0.08, 0.2, 0.3, 0.08, 0.06  # chances of a post to have such


@dataclass(frozen=True, slots=True)
class Post:
    """A post, an answer or a comment, before it has a shape."""

    name: str
    paragraphs: tuple[str, ...]
    quote: str = ""
    replies: tuple[Post, ...] = ()


@dataclass(frozen=True, slots=True)
class Thread:
    """What a made page is to say."""

    title: str
    posts: tuple[Post, ...]  # the opening post first
    others: tuple[str, ...]  # titles of other threads
    kind: str = "forum"  # "article": the opening post, and the others are comments; "list": of a board's threads


@dataclass(frozen=True, slots=True)
class Slots:
    """Fills slots by their names, `write(NAME, post, floor)`."""

    thread: Thread
    style: Style
    breaks: tuple[str, ...]  # what may part the paragraphs of a post
    box: Callable[[], str]  # writes a list of links

    def write(self, name: str, post: Post, floor: int) -> str:
        """Returns the markup of one slot. Raises ValueError for an unknown name."""
        own = _POST.get(name)
        if own is not None:
            return own(self, post)
        if name == "FLOOR":
            return self.floor(floor)
        told = _PAGE.get(name)
        if told is None:
            raise ValueError(f"there is no slot {name!r}")
        return told(self)

    def title(self, post: Post) -> str:
        return self.mark(post) * (self.thread.kind == "forum") + html.escape(self.thread.title)

    def body(self, post: Post) -> str:
        style = self.style
        texts = [self.mark(post) + html.escape(text) for text in post.paragraphs]
        quote = self.quote(post) if style.habit("quote", QUOTE_PLACES) == "inside" else ""
        image = "<img src='i.jpg'>" if style.chance(IMAGE) else ""
        form = style.habit("breaks", self.breaks)
        if form in ("p", "div"):
            return quote + "".join(f"<{form}>{text}</{form}>" for text in texts) + image
        return quote + ("<br>" if form == "br" else "<br><br>").join(texts) + image

    def quoted(self, post: Post) -> str:
        return self.quote(post) if self.style.habit("quote", QUOTE_PLACES) == "own" else ""

    def quote(self, post: Post) -> str:
        """Returns a quote. Labelled threads have quotes in their bodies more often than not."""
        if not post.quote:
            return ""
        style = self.style
        head = style.habit("quote head", QUOTE_HEADS).format(style.fill(style.habit("quoted", style.words.quoted)))
        form = style.habit("quote form", ("blockquote", "div", "fieldset"))
        name = style.one(("quote", "blockquote", "reply-quote"))
        return style.element(form, name, head + self.mark(post) + html.escape(post.quote))

    def mark(self, post: Post) -> str:
        """Returns what stands before a text of the body: of all posts, or of the article."""
        return MARK if post is self.thread.posts[0] or self.thread.kind == "forum" else ""

    def name(self, post: Post) -> str:
        return self.style.habit("name", NAMES).format(html.escape(post.name))

    def date(self) -> str:
        told = self.style.fill(self.style.habit("stamp", self.style.words.stamps))
        return self.style.habit("date", DATES).format(told)

    def floor(self, floor: int) -> str:
        style, words = self.style, self.style.words
        named = words.first_floors if style.habit("floors", ("named", "", "")) else ()
        told = style.habit("floor", words.floors).replace("{n}", str(floor))
        told = named[floor - 1] if floor <= len(named) else told
        return style.link(told) if style.habit("floor link", ("a", "")) else told

    def level(self) -> str:
        number = int(self.style.habit("levels", ("1", "2", "4", "7")))
        return self.style.row(self.style.habits_of("level", self.style.words.levels, number), "level form")

    def edited(self) -> str:
        style = self.style
        text = style.fill(style.habit("edit", style.words.edited))
        return style.element("i", "pstatus", text) if style.chance(EDITED) else ""

    def re(self) -> str:
        told = self.style.habit("re", ("yes", "", ""))
        return f"{self.style.words.re} {html.escape(self.thread.title)}" if told else ""

    def wrote(self) -> str:
        texts = (self.style.fill(text.replace("{title}", self.thread.title)) for text in self.style.words.wrote)
        return "<br>".join(map(html.escape, texts))

    def some(self, texts: tuple[str, ...], name: str, number: int, share: float) -> str:
        if not self.style.chance(share):
            return ""
        return self.style.element("div", name, self.style.row(self.style.some(texts, number)))


_POST: dict[str, Callable[[Slots, Post], str]] = {
    "TITLE": Slots.title,
    "BODY": Slots.body,
    "QUOTED": Slots.quoted,
    "NAME": Slots.name,
}
_PAGE: dict[str, Callable[[Slots], str]] = {
    "AVATAR": lambda own: own.style.habit("avatar", AVATARS),
    "DATE": Slots.date,
    "LEVEL": Slots.level,
    "SEE": lambda own: own.style.row(own.style.habits_of("see", own.style.words.see, 2), "see form", True),
    "BUTTONS": lambda own: own.style.row(
        own.style.habits_of("buttons", own.style.words.buttons, 4), "button form", True
    ),
    "REPORT": lambda own: own.style.link(own.style.habit("report", own.style.words.report)),
    "VOTES": lambda own: own.style.row(own.style.habits_of("votes", own.style.words.votes, 2), "vote form"),
    "EDITED": Slots.edited,
    "SIGN": lambda own: html.escape(own.style.one(own.thread.others)) if own.style.chance(SIGNED) else "",
    "FROM": lambda own: own.style.habit("from", ("", *own.style.words.devices)),
    "FILES": lambda own: own.some(own.style.words.files, "attach", 2, FILED),
    "RATED": lambda own: own.some(own.style.words.rated, "rate", 4, RATED),
    "RE": Slots.re,
    "WROTE": Slots.wrote,
    "COUNTS": lambda own: own.style.row([own.style.habit("counts", own.style.words.counts)], "count form"),
    "COUNTED": lambda own: own.style.row([own.style.habit("counted", own.style.words.counted)], "count form"),
    "REPLIED": lambda own: own.style.row([own.style.habit("replied", own.style.words.replied)], "count form"),
    "SIDE": lambda own: "".join(own.box() for _ in range(own.style.number(1, 4))),
    "SIDE_TAGS": lambda own: "".join(map(own.style.link, own.style.some(own.style.words.boards, 2))),
    "LINK": lambda own: own.style.link(own.style.one(own.style.words.boards)),
    "TOP": lambda own: own.style.link(own.style.words.report[-1]),
}
