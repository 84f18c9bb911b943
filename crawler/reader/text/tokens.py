"""From text to words: Chinese by jieba's dictionary, everything else by its letters (papers.md 1.1 rule 5).

Which words the dictionary has beside jieba's own says a topic's `Lexicon`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from crawler.reader.text.fold import fold
from crawler.reader.text.lexicon import Lexicon
from crawler.reader.text.segmenters import Word, cutter

Parts = tuple[str, ...]

MAX_WORD = 40  # characters; what is longer is a hash or an encoded blob, no word

SEGMENTED = "\u4e00-\u9fd5"  # Chinese characters of which jieba makes words
SINGLE = "\u3005\u3007\u3400-\u4dbf\u9fd6-\u9fff\U00020000-\U000323af"  # rare ones: each is a word, as with jieba
HAN = SEGMENTED + SINGLE
LETTER = rf"[^\W_{HAN}]"
# Words whose marks belong to them come first; they must not follow a letter, or "abc++" would hold a "c++".
WORD = re.compile(
    rf"[{SEGMENTED}]+|[{SINGLE}]|(?<![a-z0-9])(?:[cg]\+\+|[cf]\#|\.net(?![a-z0-9./]))|{LETTER}+(?:\.(?:js|net)(?![a-z0-9./]))?"
)
IS_HAN = re.compile(rf"[{HAN}]")
IS_SEGMENTED = re.compile(rf"[{SEGMENTED}]+")


@cache
def stop_words() -> frozenset[str]:
    """Returns words without a subject, Chinese and English, from `stopwords.txt`."""
    lines = files("crawler.reader.text").joinpath("stopwords.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


class Tokenizer:
    """Cuts text into the words that count. Each has its own dictionary: no topic's words leak into another.

    `words` are the topic's terms. A term always comes out as one token in its folded form, also when it has
    blanks or mixes scripts ("Machine Learning" as "machine learning", which then also stands for
    "machine-learning"), and even if it would otherwise be dropped as a stop word.

    The words of the lexicon are found as jieba finds them, by their frequency; those that mix scripts or have blanks,
    of which jieba never sees the whole, always come out as one token.
    Building one takes 0.1 s and 30 MB (with jieba 1.4 s, 60 MB): build one per process and topic, not per page. Those
    with the same dictionary share it, while it is among the last `segmenters.KEPT`.
    """

    __slots__ = ("_cut", "_lengths", "_phrases", "_terms")

    def __init__(self, words: Iterable[str] = (), lexicon: Lexicon = ()) -> None:
        self._terms = frozenset(term for word in words if (term := normal_term(word)))
        terms = [Word(term) for term in sorted(self._terms)]
        added = [*(Word(normal_term(word), frequency) for word, frequency in lexicon), *terms]
        self._cut = cutter([word for word in added if IS_SEGMENTED.fullmatch(word.text)])
        mixed = {word.text for word in added if not IS_SEGMENTED.fullmatch(word.text)}
        self._phrases = self._of_several(sorted(mixed | self._terms))
        self._lengths: dict[str, list[int]] = {}  # of the phrases that begin with a word, the longest first
        for first, length in sorted({(parts[0], len(parts)) for parts in self._phrases}, reverse=True):
            self._lengths.setdefault(first, []).append(length)

    def tokens(self, text: str) -> list[str]:
        """Returns the words of `text` in order, folded, without stop words, punctuation, numbers and single letters."""
        words = self._segment(fold(text))
        if not self._lengths.keys().isdisjoint(words):
            words = self._join_phrases(words)
        stop, terms = stop_words(), self._terms
        # A word has letters and is not too long; of single characters only a Chinese one is. No call for each word.
        return [
            w
            for w in words
            if w in terms or (w not in stop and (not w.isnumeric() if 1 < len(w) <= MAX_WORD else IS_HAN.fullmatch(w)))
        ]

    def _segment(self, folded: str) -> list[str]:
        words: list[str] = []
        cut = self._cut
        for run in WORD.findall(folded):
            if run > "\u3000" and IS_HAN.match(run):
                words.extend(cut(run))
            else:
                words.append(run)
        return words

    def _of_several(self, terms: Iterable[str]) -> dict[Parts, str]:
        """Returns the terms of several words by these words; of two that have the same the first."""
        phrases: dict[Parts, str] = {}
        for term in terms:
            parts = tuple(self._segment(term))
            if parts and parts != (term,):
                phrases.setdefault(parts, term)
        return phrases

    def _join_phrases(self, words: list[str]) -> list[str]:
        """Makes one word of each longest run of words that is a term."""
        joined: list[str] = []
        at = 0
        while at < len(words):
            word, size = words[at], 1
            for length in self._lengths.get(word, ()):
                if (term := self._phrases.get(tuple(words[at : at + length]))) is not None:
                    word, size = term, length
                    break
            joined.append(word)
            at += size
        return joined


def normal_term(word: str) -> str:
    """Returns the token that a term comes out as: folded, one blank between words, none between Chinese characters."""
    return re.sub(rf"(?<=[{HAN}]) (?=[{HAN}])", "", " ".join(fold(word).split()))
