"""Whether rjieba cuts the words that jieba cuts, and how long each takes: python -m lab.benchmarks.segmenters PAGES...
[--topics NAME ...]

PAGES are folders of labelled pages (LANG/SET/truth.jsonl, html/ID.html). Title, whole text and labelled body of each
are cut by both, with no topic and with the words of each topic. Printed are the pages with other words, the first of
these words, and CPU milliseconds for 5,000 Chinese characters.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from crawler.reader.extract.own_text import own_text
from crawler.reader.html.page import Page
from crawler.reader.text.lexicon import Lexicon
from crawler.reader.text.segmenters import JIEBA, RJIEBA
from crawler.reader.text.tokens import IS_HAN, Tokenizer
from crawler.topic.files import Topic
from lab.extraction.labelled import labelled_pages

UNIT = 5_000  # Chinese characters, a long page
SHOWN = 10  # differences


def texts(folders: Sequence[Path]) -> Iterator[str]:
    """All that is there of each page."""
    for page in labelled_pages(*folders):
        yield "\n".join((page.title or "", own_text(Page(page.markup(), page.url), page.title or ""), page.body or ""))


def first_difference(one: Sequence[str], other: Sequence[str]) -> str:
    """The words of both from the first that differs."""
    at = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    return f"{' '.join(one[at : at + 5])} | {' '.join(other[at : at + 5])}"


def compare(name: str, keywords: Sequence[str], pages: Sequence[str]) -> list[str]:
    """Prints a row; returns where the words differ."""
    cutters = [Tokenizer(keywords, Lexicon(segmenter)) for segmenter in (JIEBA, RJIEBA)]
    words, seconds = [], []
    for cutter in cutters:
        cutter.tokens("渡口的船")  # loads what is loaded once
        begun = time.process_time()
        words.append([cutter.tokens(page) for page in pages])
        seconds.append(time.process_time() - begun)
    other = [first_difference(*pair) for pair in zip(*words, strict=True) if pair[0] != pair[1]]
    characters = sum(len(run) for page in pages for run in IS_HAN.findall(page))
    jieba, rjieba = (1000 * taken / characters * UNIT for taken in seconds)
    print(
        f"{name:<18}{len(pages):>6} pages {characters:>10,} characters {sum(map(len, words[0])):>10,} words"
        f" {len(other):>4} pages differ   jieba {jieba:6.1f} ms, rjieba {rjieba:5.1f}"
    )
    return other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--topics", nargs="*", default=[])
    options = parser.parse_args()
    pages = list(texts(options.pages))
    found = compare("no topic", (), pages)
    for name in options.topics:
        found += compare(name, list(Topic.load(name).keywords), pages)
    print(*found[:SHOWN], sep="\n")


if __name__ == "__main__":
    main()
