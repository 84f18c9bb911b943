"""One form for words that mean the same: width, case, Simplified and Traditional folded together."""

from __future__ import annotations

import unicodedata
from functools import cache

from opencc import OpenCC

CONVERSION = "t2s"  # OpenCC's Traditional to Simplified
LAST_FOLDED = 0x33FFF  # end of the CJK planes; above are only marks, tags and private use
# `str.translate` takes an exception for each character that its table does not have: with these in it, texts in Latin
# letters take a third of the time. All of Chinese would make the table too large for the processor's cache.
COMMON = (range(0x01, 0x250), range(0x2000, 0x2070), range(0x3000, 0x3020), range(0xFF00, 0xFFF0))
BLOCK = 0x1000  # characters at a time: all at once take three times the memory and twice the time
SURROGATES = range(0xD800, 0xE000)  # no characters: OpenCC cannot encode them


@cache
def fold_table() -> dict[int, int | str]:
    """Returns what each character folds to (NFKC, lower case, Simplified). Of those that stay as they are, only COMMON
    ones are in it.

    It takes one character at a time, although OpenCC also knows phrases: a phrase rule may fold a word differently from
    the same word in a sentence, and then a topic's term would not be found in its pages. By characters, folding a text
    is folding its parts. One `str.translate` also takes a third of the time of NFKC, lower case and OpenCC one after
    another.
    """
    converter = OpenCC(CONVERSION)
    table: dict[int, int | str] = {code: code for block in COMMON for code in block}
    for first in range(0, LAST_FOLDED + 1, BLOCK):
        characters = [chr(code) for code in range(max(1, first), first + BLOCK) if code not in SURROGATES]
        folded = unicodedata.normalize("NFKC", "\0".join(characters))
        folded = unicodedata.normalize("NFKC", folded.lower())
        folded = converter.convert(converter.convert(folded))  # twice: 薴 gives a character that folds again
        pairs = zip(characters, folded.split("\0"), strict=True)
        table |= {ord(source): target for source, target in pairs if source != target}
    return table


def fold(text: str) -> str:
    """Returns the text in NFKC, lower case and Simplified Chinese: 機器學習 and 机器学习, ＡＩ and ai become one."""
    return _composed(_composed(text).translate(fold_table()))


def _composed(text: str) -> str:
    """Applies NFC, which joins letters and their marks. A table of single characters cannot do that."""
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)
