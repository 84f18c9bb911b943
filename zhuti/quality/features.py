"""What a text shows of its quality, whatever it is about: numbers that need no dictionary and no markup.

They were chosen among 23 by how well they order the pages of collections that were left out (lab/notes/corpus.md).
"""

from __future__ import annotations

import re
from math import log1p

from crawler.reader.text.measures import ANY_PUNCT, CODE, HAN

LONGEST = 20_000  # characters of a body that are looked at; how long it is beyond that tells nothing more
MOST = 20.0  # of anything, in 1,000 characters: one page with many more would outweigh all others

_FLAGS = re.IGNORECASE
# Words that join thoughts, that name writer or reader, and that sell; English beside Chinese.
JOINING = re.compile(
    r"因[为為]|所以|例如|比如|首先|其次|因此|即|如果|那[么麼]|但是|然而|不[过過]|可以|需要|[通透][过過]|由[于於]|[从從]而"
    r"|\b(?:together|because|example|therefore|however|if|when|which|should|first)\b",
    _FLAGS,
)
PERSONS = re.compile(r"我|你|\b(?:i|my|you|your)\b", _FLAGS)
SELLING = re.compile(
    r"[价價]格|[优優]惠|[购購][买買]|[咨諮][询詢]|[热熱][线線]|官[网網]|品牌|促[销銷]|店|免[费費]|客[户戶]|[￥¥€]|\$\d"
    r"|\b(?:buy|shop|sale|price|free|order)\b",
    _FLAGS,
)
STAMPS = re.compile(r"\d{4}[-/年]\d{1,2}[-/月]\d{1,2}|\d{1,2}:\d{2}")

NAMES = ("characters", "lines", "marks", "han", "code", "joining", "persons", "selling", "stamps")


def features(title: str, body: str) -> list[float]:
    """One number for each of NAMES.

    characters, lines: logarithms of how many, up to LONGEST; marks: share of punctuation; han: share of the letters
    that are Chinese; code: share of the characters in lines of programs; joining, persons, selling, stamps: such words,
    and days or times, in 1,000 characters, at most MOST.
    """
    lines = [line for text in (title, *body[:LONGEST].splitlines()) if (line := text.strip())]
    text = "\n".join(lines)
    size = max(1, sum(map(len, lines)))
    letters = sum(map(str.isalpha, text))

    def often(pattern: re.Pattern[str]) -> float:
        return min(MOST, 1000.0 * len(pattern.findall(text)) / size)

    return [
        log1p(size),
        log1p(len(lines)),
        sum(map(ANY_PUNCT.__contains__, text)) / size,
        len(HAN.findall(text)) / max(1, letters),
        sum(len(line) for line in lines if CODE.search(line)) / size,
        *map(often, (JOINING, PERSONS, SELLING, STAMPS)),
    ]
