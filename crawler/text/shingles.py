"""A text as a set of numbers: overlapping runs of tokens, hashed. Texts that share most of them are the same text.

A token is a Chinese character, a kana or hangul syllable, or a word of any other script; punctuation and blanks divide
tokens. So Chinese is cut into runs of characters and English into runs of words, also within one page, and nobody has
to say which language it is.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from crawler.text.fold import LAST_FOLDED, fold
from crawler.text.measures import CJK

RUN = 4  # tokens in a shingle
# Odd numbers with mixed bits: fractional parts of the golden ratio and of square roots, and MurmurHash3's finaliser.
_CHARACTER = np.uint64(0x9E3779B97F4A7C15)
_PLACE = 0xBB67AE8584CAA73B  # of a character in its word
_TOKEN = np.uint64(0x3C6EF372FE94F82B)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_LONGEST_WORD = 64  # characters that are told apart by their place

_NONE, _OF_WORD, _ALONE = range(3)


def shingles(text: str) -> NDArray[np.uint32]:
    """Returns the hashes of the runs of RUN tokens, in order, repeated ones as often as they come; a shorter text is
    one run.

    Simplified and Traditional, letter case and width do not matter (text.fold). Takes 0.4 ms for 5,000 characters, half
    of it for folding.
    """
    tokens = _tokens(fold(text))
    if not len(tokens):
        return np.empty(0, np.uint32)
    size = min(RUN, len(tokens))
    count = len(tokens) - size + 1
    runs = tokens[:count].copy()
    for place in range(1, size):
        runs *= _TOKEN
        runs += tokens[place : place + count]
    runs ^= runs >> np.uint64(33)
    runs *= _MIX
    return (runs >> np.uint64(32)).astype(np.uint32)


def _tokens(text: str) -> NDArray[np.uint64]:
    """Returns the hash of each token."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _kinds()[np.minimum(codes, LAST_FOLDED)]
    starts = kinds == _ALONE
    of_word = kinds == _OF_WORD
    starts[:1] |= of_word[:1]
    starts[1:] |= of_word[1:] & ~of_word[:-1]
    counts = kinds != _NONE
    firsts = np.flatnonzero(starts[counts])
    if not len(firsts):
        return np.empty(0, np.uint64)
    hashed = (codes[counts].astype(np.uint64) + np.uint64(1)) * _CHARACTER
    hashed ^= hashed >> np.uint64(29)
    lengths = np.diff(firsts, append=len(hashed))
    places = np.arange(len(hashed)) - np.repeat(firsts, lengths)
    hashed *= _places()[places % _LONGEST_WORD]
    tokens: NDArray[np.uint64] = np.add.reduceat(hashed, firsts)
    return tokens


@cache
def _kinds() -> NDArray[np.uint8]:
    """Returns what each code point is to a token; the last entry stands for all above."""
    characters = "".join(map(chr, range(LAST_FOLDED + 1)))
    kinds = np.fromiter(map(str.isalnum, characters), np.uint8, len(characters)) * np.uint8(_OF_WORD)
    for alone in CJK.finditer(characters):
        kinds[alone.start()] = _ALONE
    return kinds


@cache
def _places() -> NDArray[np.uint64]:
    return np.array([pow(_PLACE, place, 1 << 64) for place in range(_LONGEST_WORD)], np.uint64)
