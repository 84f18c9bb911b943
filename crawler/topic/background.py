"""How rare words are in general: the background of tf*idf."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from crawler.text.fold import fold

# Natural logarithm of (documents / documents with the word), as in jieba's table, whose values run from 0.9 to 13.9.
# Latin words are not in it. In a Chinese text a Latin word is mostly a technical name and so strong evidence; but
# code and everyday loan words ("app", "ok") are Latin too: rated like an ordinary content word of a Chinese text, not
# like the rarest.
LATIN_IDF = 8.0
# Words the table lacks: the table's median, 11.95, is that of words seen a few times; unknown compounds made by the
# segmenter are as often its mistakes as rare terms.
UNKNOWN_IDF = 9.0


@cache
def _table() -> Mapping[str, float]:
    """Word -> idf from jieba's table (270,000 words), folded to Simplified and lower case; the commonest form wins."""
    table: dict[str, float] = {}
    spec = find_spec("jieba")  # found, not imported: that would take its dictionary along
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("jieba is not installed; its word frequencies are needed to learn a topic")
    text = (Path(spec.origin).parent / "analyse" / "idf.txt").read_text(encoding="utf-8")
    # One fold for the whole table: line breaks and digits stay as they are.
    for line in fold(text).splitlines():
        word, _, idf = line.rpartition(" ")
        value = float(idf)
        table[word] = min(value, table.get(word, value))
    return table


def idf(term: str) -> float:
    """Inverse document frequency of a folded term, natural logarithm, about 0.9 to 13.9."""
    known = _table().get(term)
    if known is not None:
        return known
    return LATIN_IDF if term.isascii() else UNKNOWN_IDF
