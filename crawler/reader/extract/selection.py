"""Which blocks to take, given how likely each one belongs to the body."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.characters import Numbers

MAX_TOKENS = 2000.0  # of a block in the reckoning: one block of hidden keywords must not outweigh a page
UNLIKELY = 0.05  # probability below which a block is not expected in the body at all


def expected_f1(chance: Numbers, tokens: Numbers) -> tuple[NDArray[np.int64], Numbers]:
    """Returns the blocks from the likeliest on, and the F1 that is expected if all up to each of them are taken.

    F1 = 2 * sum(p * size) of what is taken / (size of what is taken + expected size of the body).
    """
    size = np.clip(tokens, 0.3, MAX_TOKENS).astype(np.float64)
    order = np.argsort(-chance, kind="stable")
    hit = np.cumsum((chance * size)[order])
    body = float((chance * size)[chance >= UNLIKELY].sum())
    return order, (2 * hit / (np.cumsum(size[order]) + max(body, 1e-9))).astype(np.float32)


def select(chance: Numbers, tokens: Numbers) -> tuple[NDArray[np.bool_], float]:
    """Returns the blocks that promise the best F1 for this page, shape (blocks,), and that F1 in [0, 1]."""
    order, promised = expected_f1(chance, tokens)
    best = int(promised.argmax())
    taken = np.zeros(len(chance), np.bool_)
    taken[order[: best + 1]] = True
    return taken, float(promised[best])
