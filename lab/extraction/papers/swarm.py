"""Particle swarm over the weights and the threshold of system D (papers.md 5.6, algorithm 1).

Not given in the source and chosen: c1 = c2 = 2, inertia falling from 0.9 to 0.4, speed within +-1.5, threshold within
[0, 1], r1 and r2 drawn for each component, a fixed seed. Fitness is the F-score on the training pages (register 25).

References: Wu Qi, Chen Xingshu, Tan Jun 2011, algorithm 1; Kennedy and Eberhart 1995.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawler.reader.papers.outline import Floats

PARTICLES = 100  # papers.md 5.6
GENERATIONS = 1000
RANGE = 3.0  # components lie in [0, RANGE]
PULL = 2.0  # c1 and c2
INERTIA = (0.9, 0.4)  # of the first and the last generation
MAX_SPEED = 1.5  # half the range
START_SPEED = 1.0
MAX_THRESHOLD = 1.0  # no score is higher


@dataclass(frozen=True, slots=True)
class BestParticle:
    weights: tuple[float, ...]
    threshold: float
    fitness: float  # F-score in [0, 1]
    history: tuple[float, ...]  # best fitness of each generation, never falling


def step(
    position: Floats, speed: Floats, own_best: Floats, best: Floats, inertia: float, own: Floats, shared: Floats
) -> tuple[Floats, Floats]:
    """Makes one update: new speed w v + c1 r1 (p_h - x) + c2 r2 (p_g - x), new position x + v; `own` is r1, `shared`
    r2."""
    speed = inertia * speed + PULL * own * (own_best - position) + PULL * shared * (best - position)
    return position + speed, speed


def fitness(particles: Floats, supports: Floats, body: Floats, noise: Floats) -> Floats:
    """Returns the F-score of the blocks with Score > threshold for each particle, shape (m, k + 1) to (m,).

    `supports` has shape (rows, k): the supports of each kind of block. `body` and `noise` have shape (rows,): how many
    there are of each kind. A particle whose weights are all 0 has fitness 0.
    """
    weights, threshold = particles[:, :-1], particles[:, -1]
    total = weights.sum(axis=1)
    scores = supports @ weights.T / np.where(total > 0, total, 1.0)
    taken = (scores > threshold) & (total > 0)
    right, wrong = body @ taken, noise @ taken
    sizes = right + wrong + body.sum()
    f_score: Floats = np.divide(2 * right, sizes, out=np.zeros_like(right), where=sizes > 0)
    return f_score


def search_weights(
    supports: Floats,
    body: Floats,
    noise: Floats,
    seed: int,
    particles: int = PARTICLES,
    generations: int = GENERATIONS,
) -> BestParticle:
    """Searches the best weights and threshold with a swarm; the arguments are those of `fitness`."""
    random = np.random.default_rng(seed)
    size = supports.shape[1] + 1
    highest = np.full(size, RANGE)
    highest[-1] = MAX_THRESHOLD
    position = random.uniform(0.0, highest, (particles, size))
    speed = random.uniform(-START_SPEED, START_SPEED, (particles, size))
    own_best, own_fitness = position.copy(), np.zeros(particles)
    best, best_fitness = position[0].copy(), 0.0
    history = []
    for generation in range(generations + 1):
        now = fitness(position, supports, body, noise)
        better = now > own_fitness
        own_best[better], own_fitness[better] = position[better], now[better]
        leader = int(own_fitness.argmax())
        if own_fitness[leader] > best_fitness:
            best, best_fitness = own_best[leader].copy(), float(own_fitness[leader])
        history.append(best_fitness)
        inertia = INERTIA[0] + (INERTIA[1] - INERTIA[0]) * generation / max(1, generations)
        own, shared = random.uniform(size=(2, particles, size))
        position, speed = step(position, speed, own_best, best, inertia, own, shared)
        speed = np.clip(speed, -MAX_SPEED, MAX_SPEED)
        position = np.clip(position, 0.0, highest)
    return BestParticle(tuple(map(float, best[:-1])), float(best[-1]), best_fitness, tuple(history))
