"""L-BFGS: the minimum of a smooth convex function of many values. SciPy's is 110 MB, and this takes as many steps.

References: Nocedal and Wright, Numerical Optimization, 2nd edition, algorithms 3.1, 7.4 (two loops) and 7.5."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from crawler.scorers.learned.group_means import Floats

MEMORY = 10  # steps remembered
ENOUGH = 1e-4  # share of the promised descent that a step must bring; Nocedal and Wright, 3.1
HALVINGS = 30  # of a step that brings too little; then there is nothing left to gain
FLAT = 1e-5  # largest slope at which to stop
STILL = 1e-9  # descent, as a share of the value, at which to stop

Loss = Callable[[Floats], tuple[float, Floats]]  # the value at a point, and its slopes


def minimum(loss: Loss, start: Floats, steps: int) -> Floats:
    """The point after at most so many steps downhill from `start`; shape (n,), as `start` and the slopes of `loss`."""
    point = start
    value, slopes = loss(point)
    moves: deque[tuple[Floats, Floats, float]] = deque(maxlen=MEMORY)  # move, change of slopes, 1 / their product
    for _ in range(steps):
        if np.abs(slopes).max(initial=0.0) <= FLAT:
            break
        way = _downhill(slopes, moves)
        descent, size = float(slopes @ way), 1.0
        for _ in range(HALVINGS):
            there = point + size * way
            new_value, new_slopes = loss(there)
            if new_value <= value + ENOUGH * size * descent:
                break
            size /= 2.0
        else:
            break
        move, change = there - point, new_slopes - slopes
        product = float(move @ change)
        if product > 0.0:  # else the function has not bent upwards, to the last digit
            moves.append((move, change, 1.0 / product))
        gained = value - new_value
        point, value, slopes = there, new_value, new_slopes
        if gained <= STILL * max(abs(value), 1.0):
            break
    return point


def _downhill(slopes: Floats, moves: deque[tuple[Floats, Floats, float]]) -> Floats:
    """The way to go: against the slopes, bent by what the last moves have told of the curvature."""
    way, parts = -slopes, []
    for move, change, scale in reversed(moves):
        parts.append(scale * float(move @ way))
        way = way - parts[-1] * change
    if moves:
        move, change, scale = moves[-1]
        way = way / (scale * float(change @ change))
    else:  # the first step is a guess: of length 1 at most
        way = way / max(1.0, float(np.linalg.norm(slopes)))
    for (move, change, scale), part in zip(moves, reversed(parts), strict=True):
        way = way + (part - scale * float(change @ way)) * move
    return way
