"""Which blocks of a page belong to its body: by four-grams of the labelled text, then greedily for the page's F1.

Labels are text, not nodes (papers.md 8.1), so a block counts as body by what it says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lab.extraction.scores import tokens

GRAM = 4  # tokens
SURE = 0.5  # share of a block's grams that are in the body


@dataclass(frozen=True, slots=True)
class Labelling:
    body: list[bool]  # for each block
    sizes: list[int]  # tokens of each block
    f1: float  # what an extractor reaches that selects just these blocks


def label_blocks(texts: list[str], body: str) -> Labelling:
    """Labels the blocks of a page."""
    truth = tokens(body)
    blocks = [tokens(text) for text in texts]
    grams = {tuple(truth[place : place + GRAM]) for place in range(max(1, len(truth) - GRAM + 1))}
    whole = " " + " ".join(truth) + " "
    chosen = [_share(block, grams, whole) >= SURE for block in blocks]
    need, have = Counter(truth), Counter[str]()
    for block, is_body in zip(blocks, chosen, strict=True):
        if is_body:
            have.update(block)
    greedy = _Greedy(need, have)
    order = sorted(range(len(blocks)), key=lambda row: len(blocks[row]))
    for _ in range(2):
        for row in order:
            # A block that is added must be in the body word for word: single characters fit anywhere.
            if chosen[row] or " " + " ".join(blocks[row]) + " " in whole or len(blocks[row]) > 10 * GRAM:
                chosen[row] = greedy.better(blocks[row], chosen[row])
    _short(blocks, chosen)
    return Labelling(chosen, [len(block) for block in blocks], greedy.f1)


def _share(block: list[str], grams: set[tuple[str, ...]], whole: str) -> float:
    if len(block) < GRAM:
        return float(bool(block) and " " + " ".join(block) + " " in whole)
    own = [tuple(block[place : place + GRAM]) in grams for place in range(len(block) - GRAM + 1)]
    return sum(own) / len(own)


def _short(blocks: list[list[str]], chosen: list[bool]) -> None:
    """Unmarks a word or two that stand far from all other text of the body: they are in it by chance."""
    long = [row for row, block in enumerate(blocks) if chosen[row] and len(block) >= 2 * GRAM]
    if not long:
        return
    for row, block in enumerate(blocks):
        if chosen[row] and len(block) < GRAM and not long[0] - 3 <= row <= long[-1] + 3:
            chosen[row] = False


class _Greedy:
    """The bag F1 of a selection that grows and shrinks."""

    def __init__(self, need: Counter[str], have: Counter[str]) -> None:
        self.need, self.have = need, have
        self.all = sum(need.values())
        self.size = sum(have.values())
        self.hit = sum((need & have).values())

    @property
    def f1(self) -> float:
        return 2 * self.hit / max(self.all + self.size, 1)

    def better(self, block: list[str], selected: bool) -> bool:
        """Returns whether the block is better selected or not, and keeps it so."""
        sign = -1 if selected else 1
        change = Counter(block)
        hit = self.hit
        for token, number in change.items():
            before = self.have[token]
            hit += min(self.need[token], before + sign * number) - min(self.need[token], before)
        size = self.size + sign * len(block)
        if 2 * hit / max(self.all + size, 1) <= self.f1:
            return selected
        for token, number in change.items():
            self.have[token] += sign * number
        self.hit, self.size = hit, size
        return not selected
