"""MinHash signatures: how much two texts have in common, told from 128 bytes of each.

A text is first a set of numbers: overlapping runs of tokens, hashed. A token is a Chinese character, a kana or hangul
syllable, or a word of any other script; punctuation and blanks divide tokens. So Chinese is cut into runs of characters
and English into runs of words, also within one page, and nobody has to say which language it is.

A. Broder, On the resemblance and containment of documents, 1997, doi 10.1109/SEQUEN.1997.666900; the low bits of each
value alone: P. Li and A. C. Koenig, b-Bit minwise hashing, 2010, doi 10.1145/1772690.1772759.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from crawler.reader.text.fold import LAST_FOLDED, fold
from crawler.reader.text.measures import CJK

VALUES = 128  # bytes of a signature, one for each permutation: a resemblance is right to within .05 (one sigma)
BITS = 8  # kept of each value
CHANCE = 2.0**-BITS  # that different values agree in the bits kept
MIN_SHINGLES = 40  # with repetitions; a shorter text has no signature: many pages share a sentence or two
# Two signatures that agree in BAND_ROWS neighbouring values of one of the BANDS are compared. 95 % of
# the texts that resemble each other by .6 do, and all of those by .8. By chance a page agrees with 0.7 of a million.
BANDS = 12
BAND_ROWS = 3
_BLOCK = 4096  # shingles at once: the products of a block stay in the processor's cache
RUN = 4  # tokens in a shingle
# Odd numbers with mixed bits: fractional parts of the golden ratio and of square roots, and MurmurHash3's finaliser.
_CHARACTER = np.uint64(0x9E3779B97F4A7C15)
_PLACE = 0xBB67AE8584CAA73B  # of a character in its word
_TOKEN = np.uint64(0x3C6EF372FE94F82B)
_MIX = np.uint64(0xFF51AFD7ED558CCD)
_LONGEST_WORD = 64  # characters that are told apart by their place

_NONE, _OF_WORD, _ALONE = range(3)


def signature(text: str) -> bytes:
    """Returns VALUES bytes; none for a text of fewer than MIN_SHINGLES shingles. Takes 0.7 ms for 5,000 characters.

    datasketch's MinHash (scheme affine32) does the same, but makes a Python object of each shingle, and importing it
    costs a second in every process. A test compares the two.
    """
    hashes = shingles(text)
    if len(hashes) < MIN_SHINGLES:
        return b""
    factors, offsets = _permutations()
    least = np.full(VALUES, np.iinfo(np.uint32).max, np.uint32)
    for start in range(0, len(hashes), _BLOCK):
        permuted = factors * hashes[start : start + _BLOCK]
        permuted += offsets
        np.minimum(least, permuted.min(axis=1), out=least)
    return least.astype(np.uint8).tobytes()


def resemblance(one: bytes, other: bytes) -> float:
    """Estimates the share of the shingles of both texts that are in each of them (Jaccard's index), in [0, 1].

    0.0 if one of them has no signature.
    """
    if not one or not other:
        return 0.0
    same = float(np.mean(np.frombuffer(one, np.uint8) == np.frombuffer(other, np.uint8)))
    return max(0.0, (same - CHANCE) / (1 - CHANCE))


def candidates(signature: bytes, others: Sequence[bytes]) -> NDArray[np.float64]:
    """Returns the `resemblance` of a text to each of `others`, which have signatures; 0.0 to those that share none of
    its `band_keys`."""
    if not signature or not others:
        return np.zeros(len(others))
    rows = np.frombuffer(b"".join(others), np.uint8).reshape(-1, VALUES)
    same = rows == np.frombuffer(signature, np.uint8)
    bands = same[:, : BANDS * BAND_ROWS].reshape(-1, BANDS, BAND_ROWS)
    share: NDArray[np.float64] = np.maximum(0.0, (same.mean(axis=1) - CHANCE) / (1 - CHANCE))
    share[~bands.all(axis=2).any(axis=1)] = 0.0
    return share


def band_keys(signature: bytes) -> list[int]:
    """Returns BANDS numbers below 2**28, or none without a signature: texts that share one are worth comparing."""
    if not signature:
        return []
    return [
        band << (BITS * BAND_ROWS) | int.from_bytes(signature[band * BAND_ROWS : (band + 1) * BAND_ROWS])
        for band in range(BANDS)
    ]


@cache
def _permutations() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Odd factors and offsets of h -> factor * h + offset modulo 2**32, columns of VALUES numbers.

    Stored signatures depend on them. numpy promises that RandomState's numbers never change; a test pins a signature.
    """
    numbers = np.random.RandomState(1).randint(0, 1 << 32, (2, VALUES, 1), np.uint32)
    return numbers[0] | np.uint32(1), numbers[1]


def shingles(text: str, run: int = RUN) -> NDArray[np.uint32]:
    """Returns the hashes of the runs of `run` tokens, in order, repeated ones as often as they come; a shorter text is
    one run.

    Simplified and Traditional, letter case and width do not matter (text.fold). Takes 0.4 ms for 5,000 characters, half
    of it for folding.
    """
    tokens = _tokens(fold(text))
    if not len(tokens):
        return np.empty(0, np.uint32)
    size = min(run, len(tokens))
    count = len(tokens) - size + 1
    runs = tokens[:count].copy()
    for place in range(1, size):
        runs *= _TOKEN
        runs += tokens[place : place + count]
    runs ^= runs >> np.uint64(33)
    runs *= _MIX
    return (runs >> np.uint64(32)).astype(np.uint32)


def token_count(text: str) -> int:
    """Returns how many tokens the text has: Chinese characters, kana, hangul, and words of other scripts."""
    return token_counts([text])[0]


def token_counts(texts: Sequence[str]) -> list[int]:
    """Returns how many tokens each text has. Many short ones are counted in a tenth of the time of one by one."""
    if not texts:
        return []
    folded = [fold(text) for text in texts]
    so_far = np.cumsum(_starts("\n".join(folded) + "\n")[1])
    return [int(count) for count in np.diff(so_far[np.cumsum([len(each) + 1 for each in folded]) - 1], prepend=0)]


def _starts(text: str) -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.bool_]]:
    """Returns code points, and of each whether a token begins there, and whether it belongs to one."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _kinds()[np.minimum(codes, LAST_FOLDED)]
    starts = kinds == _ALONE
    of_word = kinds == _OF_WORD
    starts[:1] |= of_word[:1]
    starts[1:] |= of_word[1:] & ~of_word[:-1]
    return codes, starts, kinds != _NONE


def _tokens(text: str) -> NDArray[np.uint64]:
    """Returns the hash of each token."""
    codes, starts, counts = _starts(text)
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
