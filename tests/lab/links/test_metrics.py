"""Worked example C10 (papers.md 4.11)."""

import pytest

from lab.links.metrics import discovery_rate, mean_of, precision


def test_c10() -> None:
    assert precision(300, 400) == 0.75
    assert discovery_rate(300, 500) == 0.6


def test_of_nothing() -> None:
    assert precision(0, 0) == discovery_rate(0, 0) == 0.0


def test_means_and_how_sure_they_are() -> None:
    assert str(mean_of([[0.5]])) == "0.500"
    draws = mean_of([[0.4, 0.6]])  # one topic: over its draws
    assert (draws.value, draws.error) == (0.5, pytest.approx(12.706 * 0.1, rel=1e-3))
    topics = mean_of([[0.4, 0.6], [0.7], [0.3]])  # each the mean of its draws
    assert topics.value == pytest.approx(0.5)
    assert topics.error == pytest.approx(4.303 * 0.2 / 3**0.5, rel=1e-3)
