"""How good a crawl was: precision and resource discovery rate (papers.md 4.11)."""

from __future__ import annotations


def precision(collected_on_topic: int, collected: int) -> float:
    """Pr, also called harvest rate: the part of the collected pages that is on topic, in [0, 1]; 0 of
    nothing."""
    return collected_on_topic / collected if collected else 0.0


def discovery_rate(collected_on_topic: int, all_on_topic: int) -> float:
    """Re, also called recall: the part of all on-topic pages that was collected, in [0, 1]; 0 of nothing."""
    return collected_on_topic / all_on_topic if all_on_topic else 0.0
