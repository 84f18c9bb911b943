"""What the characters of a page's blocks are. They are counted for all blocks at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.words import GRAM_BITS, TEXT_WORDS, gram

Numbers = NDArray[np.float32]
Values = NDArray[np.float64]
Points = NDArray[np.uint16]
CJK, ZH_MARK, MARK, DIGIT, LATIN, COMMA, BLANK, STOP = (1 << bit for bit in range(8))
LOWER = np.uint16(32)  # between a capital and its small letter in ASCII


def _classes() -> NDArray[np.uint8]:
    """Makes a table of the classes of every character of the basic plane; all above it count as CJK."""
    table = np.zeros(0x10000, np.uint8)
    for first, last in ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x3040, 0x30FF), (0xAC00, 0xD7AF), (0x3005, 0x3007)):
        table[first : last + 1] |= CJK
    for number in range(0x80, 0x250):
        if chr(number).isalpha():
            table[number] |= LATIN
    for first, last in ((0x41, 0x5A), (0x61, 0x7A), (0x370, 0x52F), (0x5D0, 0x6FF), (0x900, 0x1000), (0xE00, 0xE7F)):
        table[first : last + 1] |= LATIN
    for marks, flags in (
        ("，。！？；：、“”‘’（）《》〈〉【】「」『』—…·～", ZH_MARK),
        (",.!?;:()\"'", MARK),
        ("0123456789", DIGIT),
        ("，,、；;", COMMA),
        (" \t\n\r\v\f\xa0\u3000", BLANK),
        ('。！？!?….”"』」', STOP),
    ):
        for mark in marks:
            table[ord(mark)] |= flags
    table[0xFFFF] = CJK
    return table


def _grams() -> NDArray[np.uint16]:
    """Makes a table that gives for every gram the groups of words that begin with it (words.TEXT_WORDS), a bit each."""
    table = np.zeros(1 << GRAM_BITS, np.uint16)
    for bit, words in enumerate(TEXT_WORDS.values()):
        for word in words.lower().split():
            points = [ord(character) for character in word]
            key = points[:2] if len(points) < 4 or points[0] > 0x2000 else points[:4]
            if len(points) == 3 and points[0] < 0x2000:
                key = [*points, ord(" ")]
            table[gram(*key)] |= 1 << bit
    return table


CLASSES = _classes()
BETWEEN = np.zeros(0x10000, np.bool_)  # what is between the figures of a date or of an hour
BETWEEN[[ord(mark) for mark in "-/年月:"]] = True
GRAMS = _grams()


@dataclass(slots=True)
class Letters:
    """Counts for the blocks of a page, each of shape (blocks,)."""

    size: Numbers  # characters but blanks
    cjk: Numbers
    words: Numbers  # runs of letters or digits outside CJK
    zh_marks: Numbers  # Chinese punctuation
    marks: Numbers  # ASCII punctuation
    commas: Numbers
    digits: Numbers
    stop: Numbers  # 1 when the block ends with a sentence
    groups: NDArray[np.uint16]  # groups of words in it, a bit each
    begins: NDArray[np.uint16]  # the same of those that it begins with, or that follow a bracket
    stamped: Numbers  # pairs of figures as in dates and hours
    titled: Numbers  # grams it shares with the page's title

    @property
    def tokens(self) -> Numbers:
        return self.cjk + self.words


def count_letters(texts: list[str], title: str) -> Letters:
    """Counts the characters of every block. `texts` must not be empty, nor any text in it."""
    points = _points("\n".join(texts))
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    starts = np.cumsum(sizes) - sizes
    classes = CLASSES.take(points)
    letters = (classes & (LATIN | DIGIT)) != 0
    begins = letters.copy()
    begins[1:] &= ~letters[:-1]
    columns = [(classes & flag) != 0 for flag in (CJK, ZH_MARK, MARK, COMMA, DIGIT, BLANK)]
    cjk, zh_marks, marks, commas, digits, blanks = (_sums(column, starts) for column in columns)
    figures, stamps = columns[4], np.zeros(len(points), np.bool_)
    stamps[1:-1] = figures[:-2] & BETWEEN.take(points[1:-1]) & figures[2:]
    two, four = _hashes(points + LOWER * ((points >= ord("A")) & (points <= ord("Z"))).astype(np.uint16))
    groups = GRAMS.take(two)
    words = np.flatnonzero(begins)
    groups[words] |= GRAMS.take(four.take(words))
    behind = np.minimum(starts + 1, len(groups) - 1)
    bracketed = ((classes[starts] & (ZH_MARK | MARK)) != 0) | (points[starts] == ord("["))
    return Letters(
        size=(sizes - blanks).astype(np.float32),
        cjk=cjk,
        words=_sums(begins, starts),
        zh_marks=zh_marks,
        marks=marks,
        commas=commas,
        digits=digits,
        stop=((classes[starts + sizes - 2] & STOP) != 0).astype(np.float32),
        groups=np.bitwise_or.reduceat(groups, starts),
        begins=np.where(bracketed, groups[behind], groups[starts]),
        stamped=_sums(stamps, starts),
        titled=_titled(title, columns[0], letters, two, four, starts),
    )


def _points(text: str) -> Points:
    """Returns code points of the basic plane, U+FFFF for all others, with a line break behind the last one."""
    points = np.frombuffer((text + "\n").encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.minimum(points, 0xFFFF).astype(np.uint16)


def _sums(flags: NDArray[np.bool_], starts: NDArray[np.int64]) -> Numbers:
    return np.add.reduceat(flags, starts, dtype=np.float32)


def _hashes(points: Points) -> tuple[Points, Points]:
    """Returns for each character the places of the two- and four-character gram that start with it (words.gram).
    Sixteen bits overflow just as `gram` cuts them off."""
    padded = np.concatenate([points, np.zeros(3, np.uint16)])
    pairs = padded[:-1] * np.uint16(31) + padded[1:]
    two = (pairs * np.uint16(961))[:-2]
    return two, two + pairs[2:]


def _titled(
    title: str, cjk: NDArray[np.bool_], letters: NDArray[np.bool_], two: Points, four: Points, starts: NDArray[np.int64]
) -> Numbers:
    """Counts the grams that are shared with the title: pairs of CJK characters, four letters elsewhere."""
    if len(title) < 2:
        return np.zeros(len(starts), np.float32)
    points = _points(title.lower())[:-1]
    own = CLASSES.take(points)
    own_two, own_four = _hashes(points)
    pairs, words = np.zeros(1 << GRAM_BITS, np.bool_), np.zeros(1 << GRAM_BITS, np.bool_)
    is_cjk = (own & CJK) != 0
    pairs[own_two[:-1][is_cjk[:-1] & is_cjk[1:]]] = True
    words[own_four[(own & (LATIN | DIGIT)) != 0]] = True
    return _sums((pairs.take(two) & cjk) | (words.take(four) & letters), starts)
