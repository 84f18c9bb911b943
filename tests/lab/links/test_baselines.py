"""Shark search on single links."""

import pytest

from lab.links.baselines import SharkSearch
from tests.scorers.test_simple import link, page


def test_shark_search_inherits_less_at_each_off_topic_page() -> None:
    scorer = SharkSearch()
    assert scorer.observe(page("p", 0.8, link("q")))["q"] == pytest.approx(0.5 * 0.4)
    assert scorer.observe(page("q", 0.1, link("r")))["r"] == pytest.approx(0.5 * 0.2)
    # own .5 at 4/5, context 1 at 1/5
    assert scorer.observe(page("s", 0.0, link("t", own=0.5)))["t"] == pytest.approx(0.5 * 0.6)
