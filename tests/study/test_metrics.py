"""Worked example C10 (papers.md 4.11)."""

from crawler.study.metrics import discovery_rate, precision


def test_c10() -> None:
    assert precision(300, 400) == 0.75
    assert discovery_rate(300, 500) == 0.6


def test_of_nothing() -> None:
    assert precision(0, 0) == discovery_rate(0, 0) == 0.0
