"""How much a link promises by its words: RW and RWB (papers.md 4.8, formulas 9.2 and 9.3).

Both start from avgM(u), the mean relevance r(t) of the words of the link's metadata, and avgT(u), the same mean over
the text of the page that shows the link. All values lie in [0, 1]."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

_HALF = 8  # bytes of the digest behind each draw
_RANGE = float(2 ** (8 * _HALF))


class Draws(NamedTuple):
    """The two random variables of formula 9.3, each in [0, 1)."""

    p1: float
    p2: float


def draw(parent: str, url: str, seed: int = 0) -> Draws:
    """P1 and P2 of one link: the same in every process and on every call, so that they do not change between the
    iterations of IPageRank (papers.md 9.3)."""
    key = f"{seed} {parent} {url}".encode("utf-8", "surrogatepass")
    digest = blake2b(key, digest_size=2 * _HALF).digest()
    p1, p2 = digest[:_HALF], digest[_HALF:]
    return Draws(int.from_bytes(p1) / _RANGE, int.from_bytes(p2) / _RANGE)


def rw(mean: float, threshold: float) -> float:
    """RW(u), formula 9.2: avgM(u) where it reaches the threshold c, else 0. Graded, because formula 9.4 hands on
    importance in proportion to it."""
    return mean if mean >= threshold else 0.0


def rwb(mean: float, text_mean: float, draws: Draws, *, threshold: float, boost_threshold: float) -> float:
    """RWB(u), formula 9.3, the tiered reading: a link without good words borrows from a page on topic (P1 * avgT, or
    keeps its own avgM where that is more), or has a random share of its own (P2 * avgM). Never below RW.

    `threshold` is c, `boost_threshold` is d_b, in avgT; d_b is not the damping factor."""
    if mean >= threshold:
        return mean
    if text_mean >= boost_threshold:
        return max(mean, draws.p1 * text_mean)
    return draws.p2 * mean
