"""What has changed in a page's text: its own words, without what a site changes around them.

A body is compared with the last one by its blocks, the lines of the text. Digits, dates and punctuation do not count: a
number of readers or a date of building is not news. Formulas, emoji and signs such as (c) do not either: a new
rendering of a site shows or hides them, or writes them otherwise. Nor do blocks that other pages of the host have too,
in their text, their last one or as their title: those are of the template, of lists of related pages, or links to
neighbours. What the page still shows outside of its body has not gone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from unicodedata import normalize

from sqlalchemy import Connection

from crawler.database.statements import Query
from crawler.store.compression import reader

# A line below this many characters and this share of the text, which comes alone: of 14 such changes of recorded pages
# 9 were the extractor's, which takes a heading or a reference when a site is rendered again; of 25 longer ones 1. One
# that has gone from the page was an edit 5 times of 5.
LINE, LINE_SHARE = 30, 0.02
OTHERS = 30  # pages of a host that a changed one is compared with, those fetched last
LARGEST = 50_000  # bytes, packed, of the texts of those: a long article has 10,000
MOST_WORDS = 1_000  # on each side that are compared in their order, which takes time that grows with the square,
MOST_PAIRS = 20_000  # and with the pairs of equal words: a made-up text with more took ten seconds

_WORD = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]|[^\W\d_぀-ヿ㐀-鿿豈-﫿]+")
_DATES = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*\b")
# Formulas as extraction and pages write them, those in a line as pandoc knows them: no space within the signs, no
# figure behind them, as prices have. None has Chinese letters or begins with a brace, for variables of a shell are
# around texts.
_TEX = "[^$㐀-鿿豈-﫿{}]{{1,2000}}"
_SIGNS = re.compile(
    rf"\$\${_TEX.format('')}\$\$|\$(?![\s{{]){_TEX.format(chr(10))}(?<!\s)\$(?!\d)"
    r"|\\\((?:(?!\\\().){1,2000}?\\\)|\\\[(?:(?!\\\[).){1,2000}?\\\]|:[a-z][a-z_]{1,30}:|\((?:c|r|tm)\)",
    re.IGNORECASE | re.DOTALL,
)
_OTHERS = f"""
SELECT p.id FROM judgements j JOIN urls u ON u.id = j.url_id JOIN pages p ON p.id = j.page_id
WHERE j.topic_id = :topic AND u.id <> :row AND p.url = u.url AND u.host_id = (SELECT host_id FROM urls WHERE id = :row)
  AND length(p.body) < {LARGEST}
ORDER BY p.fetched_at DESC LIMIT {OTHERS}
"""
_AROUND = Query(f"SELECT title, body FROM pages WHERE id IN ({_OTHERS})")
_AROUND_BEFORE = Query(f"SELECT title, body FROM versions WHERE page_id IN ({_OTHERS}) AND length(body) < {LARGEST}")


@dataclass(frozen=True, slots=True)
class Change:
    """How two texts of a page differ, as their words are in them."""

    added: tuple[str, ...]  # stretches of the new text
    removed: tuple[str, ...]  # of the old one
    share: float  # of the words of both that were added or removed, in [0, 1]
    is_others: bool = False  # whether the new text has nothing but what other pages have too

    @property
    def is_line(self) -> bool:
        """Whether nothing but a short line has come."""
        return not self.removed and len(self.added) == 1 and len(self.added[0]) < LINE and self.share < LINE_SHARE


def change(old: str, new: str, others: Iterable[str] = (), shown: str = "") -> Change:
    """`others`: texts and titles of other pages of the host. `shown`: all that the page shows now: a block that is
    there outside of the new text has not gone, the extractor takes it no more."""
    known = {key for text in others for key in _keys(text)}
    before, after = _blocks(_plain(old), known), _blocks(_plain(new), known)
    left = Counter(key for key, _ in before) - Counter(key for key, _ in after)
    if len(left) <= MOST_WORDS:
        page, body = "".join(_keys(shown)), "".join(key for key, _ in after)
        left = Counter({key: number for key, number in left.items() if page.count(key) <= body.count(key)})
    came = Counter(key for key, _ in after) - Counter(key for key, _ in before)
    removed, added = _differing(_taken(before, left), _taken(after, came))
    size = sum(len(key) for key, _ in before) + sum(len(key) for key, _ in after)
    changed = sum(len(_key(text)) for text in (*removed, *added))
    return Change(tuple(added), tuple(removed), changed / size if size else 0.0, bool(new.strip()) and not after)


def texts_around(connection: Connection, topic_id: int, url_id: int) -> list[str]:
    """Titles and texts of other pages of the host of that URL, and their texts before."""
    codec, where = reader(connection), {"topic": topic_id, "row": url_id}
    found = [row for query in (_AROUND, _AROUND_BEFORE) for row in query.rows(connection, **where)]
    return [text for title, body in found for text in (title, codec.unpack_text(body))]


def _blocks(text: str, known: Collection[str]) -> list[tuple[str, str]]:
    """Key and text of each block of the page's own."""
    keyed = ((_key(line), line.strip()) for line in text.splitlines())
    return [(key, line) for key, line in keyed if key and key not in known]


def _keys(text: str) -> Iterator[str]:
    return (_key(line) for line in _plain(text).splitlines())


def _plain(text: str) -> str:
    """The text without formulas and signs."""
    return _SIGNS.sub(" ", text)


def _key(text: str) -> str:
    """The part of a text that counts."""
    return "".join(_WORD.findall(_DATES.sub(" ", normalize("NFKC", text).casefold())))


def _taken(blocks: Iterable[tuple[str, str]], wanted: Counter[str]) -> list[str]:
    left = Counter(wanted)
    taken = []
    for key, line in blocks:
        if left[key] > 0:
            left[key] -= 1
            taken.append(line)
    return taken


def _differing(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """The stretches that only one side has. A block that was edited is on both sides, with other words in it."""
    before, after = "\n".join(old), "\n".join(new)
    words = [list(_WORD.finditer(text)) for text in (before, after)]
    if max(map(len, words)) > MOST_WORDS:
        return old, new
    keys = [[normalize("NFKC", word[0]).casefold() for word in some] for some in words]
    counts = [Counter(some) for some in keys]
    if sum(number * counts[1][key] for key, number in counts[0].items()) > MOST_PAIRS:
        return old, new
    removed: list[str] = []
    added: list[str] = []
    for what, a, b, c, d in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if what != "equal":
            removed += _stretch(before, words[0][a:b])
            added += _stretch(after, words[1][c:d])
    return [text for text in removed if _key(text)], [text for text in added if _key(text)]


def _stretch(text: str, words: list[re.Match[str]]) -> list[str]:
    return [" ".join(text[words[0].start() : words[-1].end()].split())] if words else []
