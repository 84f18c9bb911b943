"""Example D2 of papers.md 5.6, and laws of the swarm."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from crawler.reader.papers.pso import PUBLISHED, support_matrix
from lab.extraction.papers.swarm import fitness, search_weights, step
from lab.extraction.papers.train_pso import ROWS

SUPPORTS = support_matrix(PUBLISHED.table, ROWS)
COUNTS = arrays(np.float64, len(ROWS), elements=st.integers(0, 9).map(float))


def test_d2_one_step() -> None:
    position, speed = step(
        np.array([1.0]), np.array([0.2]), np.array([1.5]), np.array([2.0]), 0.7, np.array([0.5]), np.array([0.25])
    )
    assert speed[0] == pytest.approx(1.14)
    assert position[0] == pytest.approx(2.14)


def test_fitness_is_the_f_score_of_the_blocks_above_the_threshold() -> None:
    body, noise = np.zeros(len(ROWS)), np.zeros(len(ROWS))
    body[-1], noise[0], noise[-1] = 3, 5, 1
    particles = np.array([[*PUBLISHED.weights, PUBLISHED.threshold], [0, 0, 0, 0, 0, 0]])
    assert fitness(particles, SUPPORTS, body, noise) == pytest.approx([2 * 3 / (4 + 3), 0])


@settings(max_examples=20)
@given(body=COUNTS, noise=COUNTS, seed=st.integers(0, 9))
def test_the_best_never_gets_worse(body: np.ndarray, noise: np.ndarray, seed: int) -> None:
    found = search_weights(SUPPORTS, body, noise, seed, particles=8, generations=12)
    assert list(found.history) == sorted(found.history)
    assert len(found.history) == 13
    assert all(0 <= weight <= 3 for weight in found.weights)
    assert 0 <= found.threshold <= 1
    if found.fitness:
        particle = np.array([[*found.weights, found.threshold]])
        assert fitness(particle, SUPPORTS, body, noise)[0] == pytest.approx(found.fitness)


def test_a_seed_gives_one_answer() -> None:
    body, noise = np.arange(48.0), np.arange(48.0)[::-1]
    assert search_weights(SUPPORTS, body, noise, 3, 10, 10) == search_weights(SUPPORTS, body, noise, 3, 10, 10)
