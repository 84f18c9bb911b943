"""Measures of text that all extractors and reports share (papers.md 1.1)."""

from __future__ import annotations

import html
import re
from typing import Literal

from resiliparse.parse.lang import detect_fast

PunctMode = Literal["zh", "any"]

MIN_CJK_SHARE = 0.05  # below, a page is measured by any punctuation, not only Chinese (papers.md 1.1 rule 4)
MIN_LANGUAGE_CHARS = 20  # letters; shorter texts have no language to tell
LANGUAGE_SAMPLE = 4000  # characters looked at
WITH_CODE = 4  # times as many are searched for lines that are not code
MIN_HAN_SHARE = 0.03  # of the letters; a Chinese page may hold far more code and names than Chinese
MIN_KANA_SHARE = 0.1  # of kana and Chinese characters; Japanese has half, Chinese none

ZH_PUNCT = frozenset("，。！？；：、“”‘’（）《》〈〉【】「」『』—…·～")
ASCII_PUNCT = frozenset(",.!?;:()\"'")
ANY_PUNCT = ZH_PUNCT | ASCII_PUNCT

LETTERS = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af\u3040-\u30ff\uac00-\ud7af"
MARKS = "\u3001-\u3004\u3008-\u3020\uff01-\uff65"  # full-width punctuation and letters
CJK = re.compile(f"[{LETTERS}]")
CJK_GAP = re.compile(rf" (?<=[{LETTERS}{MARKS}] )(?=[{LETTERS}{MARKS}])")  # the blank first: it is looked for fastest
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af]")
KANA = re.compile("[\u3040-\u30ff]")
HANGUL = re.compile("[\uac00-\ud7af]")

CODE = re.compile(r"[{}=<>_\\]|[;)]$|\w\(|^\d*\s*(?://|/?\*|#)")  # a line of a program, in no one's language


def norm_ws(text: str) -> str:
    """Resolves entities, removes blanks and line breaks between two CJK characters, and makes other runs one blank."""
    return CJK_GAP.sub("", " ".join(html.unescape(text).split()))


def char_len(text: str) -> int:
    """Counts the characters of the normalised text without blanks."""
    return len(norm_ws(text).replace(" ", ""))


def byte_len(text: str) -> int:
    """Counts two for each character above U+00FF, one for each other (the length in GBK, for Chinese text)."""
    return sum(2 if character > "\xff" else 1 for character in text)


def zh_punct(text: str) -> int:
    """Counts Chinese punctuation marks."""
    return sum(map(ZH_PUNCT.__contains__, text))


def any_punct(text: str) -> int:
    """Counts Chinese and ASCII punctuation marks."""
    return sum(map(ANY_PUNCT.__contains__, text))


def cjk_share(text: str) -> float:
    """Returns the share of CJK letters among all characters but blanks, in [0, 1]; 0 for an empty text."""
    characters = char_len(text)
    return len(CJK.findall(html.unescape(text))) / characters if characters else 0.0


def punct_mode(page: str) -> PunctMode:
    """Returns which punctuation to count on a page. One in another language has too few Chinese marks."""
    return "zh" if cjk_share(page) >= MIN_CJK_SHARE else "any"


def punct(text: str, mode: PunctMode) -> int:
    """Counts punctuation marks in the page's mode."""
    return zh_punct(text) if mode == "zh" else any_punct(text)


def language(text: str) -> str:
    """Returns the ISO 639-1 code of the text's main language, "" if there is too little text to tell.

    Lines of programs are in no one's language and left out, unless there is nothing else. East Asian languages are told
    by their scripts, the others by resiliparse's letter statistics. Of 900 Chinese posts of recorded technical blogs 15
    were taken for another language (23 with their code), 6 of them by the kana of one site's comment form; of 720 pages
    in other languages 1 was taken for Chinese, which it quotes.
    """
    known = text[: WITH_CODE * LANGUAGE_SAMPLE]
    prose = "\n".join(line for line in known.splitlines() if not CODE.search(line))[:LANGUAGE_SAMPLE]
    return _by_script(prose) or _by_letters(prose) or _by_script(text[:LANGUAGE_SAMPLE])


def _by_script(sample: str) -> str:
    letters = sum(map(str.isalpha, sample))
    han, kana, hangul = (len(script.findall(sample)) for script in (HAN, KANA, HANGUL))
    if han + kana + hangul < max(1, MIN_HAN_SHARE * letters):
        return ""
    if hangul > han + kana:
        return "ko"
    return "ja" if kana > MIN_KANA_SHARE * (han + kana) else "zh"


def _by_letters(sample: str) -> str:
    if sum(map(str.isalpha, sample)) < MIN_LANGUAGE_CHARS:
        return ""
    code, _ = detect_fast(sample)
    return "" if code == "unknown" else str(code)
