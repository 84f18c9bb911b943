"""The habits of one page: how it prints dates, what its class names are made of, what it puts short texts into.

Two pages have nothing but the shape in common, so that no template can be learned by heart.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lab.threads.words import Words

NAMINGS = ("own", "own", "own", "hashed", "prefixed", "none", "senseless")  # of classes
LETTERS = "abcdefghijkmnpqrstuvwxyz0123456789"
EMPTY = frozenset(["br", "hr"])  # elements with nothing in them
ROWS = ("{} ", "<span>{}</span> ", "<p>{}</p>", "<div>{}</div>", "<li>{}</li>", "{} | ", "{}<br>", "<em>{}</em>")
LISTS = {"li": "ul", "div": "div", "dd": "dl", "td": "table"}  # what is around the entries of a list


@dataclass(slots=True)
class Style:
    """Draws what may vary on a page, and remembers what must stay the same on all of it (`habit`)."""

    random: np.random.Generator
    words: Words
    naming: str = field(init=False)
    names: dict[str, str] = field(default_factory=dict)  # class names as the page has them
    habits: dict[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.naming = self.one(NAMINGS)

    def one(self, options: Sequence[str]) -> str:
        return options[int(self.random.integers(len(options)))]

    def some(self, options: Sequence[str], number: int) -> list[str]:
        return [options[place] for place in self.random.permutation(len(options))[:number].tolist()]

    def number(self, low: int, high: int) -> int:
        """Draws a number from `low` on, below `high`."""
        return int(self.random.integers(low, high))

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def habit(self, name: str, options: Sequence[str]) -> str:
        """Draws one of some options, the same on all of the page."""
        return self.habits_of(name, options, 1)[0]

    def habits_of(self, name: str, options: Sequence[str], number: int) -> Sequence[str]:
        if name not in self.habits:
            self.habits[name] = self.some(options, number)
        return self.habits[name]

    def fill(self, text: str) -> str:
        """Returns a text of `words` with its dates, numbers and names."""
        text = text.replace("{t}", self.habit("dates", self.words.dates)).replace("{name}", self.one(self.words.names))
        text = text.replace("{date}", "{y}-{m}-{d}").replace("{y}", str(self.number(2003, 2026)))
        text = text.replace("{m}", str(self.number(1, 13))).replace("{d}", str(self.number(1, 29)))
        text = text.replace("{h}", str(self.number(0, 24))).replace("{i}", str(self.number(10, 60)))
        return text.replace("{n}", str(self.number(1, (9, 99, 4000)[self.number(0, 3)])))

    def element(self, tag: str, classes: str, inner: str, own: str = "") -> str:
        """Writes an element. `own` is its id; the number at its end is another one each time."""
        if tag in EMPTY:
            return f"<{tag}>"
        name = " ".join(filter(None, map(self.class_name, classes.split())))
        shown = f' class="{name}"' if name else ""
        if own and self.naming == "own":
            bare = own.rstrip("0123456789")
            shown += f' id="{bare}{self.number(1, 99999) if bare != own else ""}"'
        return f"<{tag}{shown}>{inner}</{tag}>"

    def class_name(self, name: str) -> str:
        """Returns a name as the page writes it: as it is, with a hash behind it, before it, not at all, or without
        sense."""
        if name not in self.names:
            mixed = "".join(self.one(LETTERS) for _ in range(5))
            self.names[name] = {
                "own": name,
                "hashed": f"{name}__{mixed}",
                "prefixed": f"{mixed[:2]}-{name}",
                "none": "",
                "senseless": f"css-{mixed}",
            }[self.naming]
        return self.names[name]

    def link(self, text: str) -> str:
        return f"<a href='#'>{html.escape(self.fill(text))}</a>"

    def row(self, texts: Sequence[str], habit: str = "", links: bool = False) -> str:
        """Writes short texts beside each other, in elements of their own or not. `habit` names what is written in the
        same way on all of the page."""
        form = self.habit(habit, ROWS) if habit else self.one(ROWS)
        pieces = [piece for text in texts for piece in self.fill(text).split("|")]
        shown = "".join(form.format(self.link(piece) if links else html.escape(piece)) for piece in pieces)
        return f"<ul>{shown}</ul>" if "<li>" in form else shown

    def listed(self, texts: Sequence[str]) -> str:
        """Writes links, in a list or beside each other."""
        links = [self.link(text) for text in texts]
        form = self.one(("", "li", *LISTS))
        if not form:
            return self.one((" ", " | ", "")).join(links)
        entries = [f"<{form}>{each}</{form}>" for each in links]
        return self.element(LISTS[form], "", "".join(f"<tr>{each}</tr>" if form == "td" else each for each in entries))
