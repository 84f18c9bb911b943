"""Cutting Chinese into words by jieba's dictionary: with jieba itself, or with rjieba, which is jieba in Rust.

Both give the same words. jieba is the reference and runs everywhere; rjieba takes a tenth of the time, and is installed
where it has wheels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, NamedTuple

KEPT = 2  # segmenters: the plain one, and that of the topic which is learned first, and then judged by

Cut = Callable[[str], Sequence[str]]  # one run of Chinese characters in, its words out


class Word(NamedTuple):
    """A word that jieba's dictionary is to have."""

    text: str
    frequency: int | None = None  # how often it occurs in jieba's 60 million words; None: such that it is cut out


def used() -> str:
    """The package that cuts."""
    return "rjieba" if find_spec("rjieba") else "jieba"


def cutter(words: Sequence[Word]) -> Cut:
    """What cuts with these words beside the own ones of jieba; it is made once for the same words."""
    return (with_rjieba if used() == "rjieba" else with_jieba)(tuple(words))


# A word that is cut out anyway is not added: for it the two suggest frequencies that differ by one.


@lru_cache(KEPT)
def with_rjieba(words: tuple[Word, ...]) -> Cut:
    from rjieba import Jieba

    segmenter = Jieba()
    for word, frequency in words:
        if frequency or segmenter.cut(word, False) != [word]:
            segmenter.add_word(word, frequency or segmenter.suggest_freq(word), "n")
    cut: Cut = segmenter.cut
    return cut


@lru_cache(KEPT)
def with_jieba(words: tuple[Word, ...]) -> Cut:
    segmenter = _jieba().Tokenizer()
    frequencies, segmenter.total = _dictionary()
    segmenter.FREQ, segmenter.initialized = dict(frequencies), True
    for word, frequency in words:
        if frequency or segmenter.lcut(word, HMM=False) != [word]:
            suggested = frequency or segmenter.suggest_freq(word)
            segmenter.total -= segmenter.FREQ.get(word, 0)  # as rjieba does: what is replaced no longer counts
            segmenter.add_word(word, suggested)
    cut: Cut = segmenter.lcut
    return cut


def _jieba() -> Any:
    with warnings.catch_warnings():  # jieba 0.42.1 has invalid escapes and imports pkg_resources
        warnings.simplefilter("ignore")
        import jieba
    return jieba


@cache
def _dictionary() -> tuple[dict[str, int], int]:
    """Word -> frequency, and the sum of them. Left to itself, jieba would keep a copy in the system's folder of
    temporary files, and believe whatever lies there under that name.

    One word occurs twice in jieba's file. jieba counts it twice in the sum, rjieba once; then cuts that are equally
    likely (XX X, X XX) would be chosen differently, by the last digit of a logarithm."""
    tokenizer = _jieba().Tokenizer()
    frequencies, _ = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    return frequencies, sum(frequencies.values())
