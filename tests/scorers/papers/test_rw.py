"""Which links count, and by which words."""

from math import inf

import pytest

from crawler.records import JudgedPage, Link, Outlink
from crawler.scorers.discounts import TUNNEL_KEEP
from crawler.scorers.papers.rw import LINK_THRESHOLD, ByRW, LinkWeights

WEAK = LINK_THRESHOLD / 2


def page(*outlinks: Outlink, on_topic: bool = True, text: float = 0.0, distance: int = 0) -> JudgedPage:
    return JudgedPage("http://a.example/", 0.5, on_topic, text, 0, distance, outlinks)


def test_noise_and_links_to_the_page_itself_do_not_count() -> None:
    shown = page(
        Outlink(Link("http://b.example/"), 0.1, 0.2, 0.6),
        Outlink(Link("http://c.example/", noise=True), 0.9, 0.9, 0.9),
        Outlink(Link("http://a.example/"), 0.9, 0.9, 0.9),
    )
    assert LinkWeights().weighed(shown) == [("http://b.example/", 0.6)]


def test_the_text_around_does_not_count() -> None:
    assert LinkWeights().weighed(page(Outlink(Link("b"), 0.9, 0.0, 0.0))) == [("b", 0.0)]


@pytest.mark.parametrize(
    ("mean", "text", "on_topic", "least", "most"),
    [
        (0.6, 0.9, True, 0.6, 0.6),
        (WEAK, 0.9, True, WEAK, 0.9),
        (0.0, 0.9, True, 0.0, 0.9),
        (0.0, 0.0, True, 0.0, 0.0),
        (WEAK, 0.9, False, 0.0, WEAK),
        (0.0, 0.9, False, 0.0, 0.0),
    ],
)
def test_rwb(mean: float, text: float, on_topic: bool, least: float, most: float) -> None:
    values = [LinkWeights(seed).weight(page(on_topic=on_topic, text=text), "b", mean) for seed in range(30)]
    assert least <= min(values) <= max(values) <= most < inf
    assert len(set(values)) == (1 if least == most else 30)


def test_rw_scorer_keeps_the_best_of_several_parents_and_takes_the_penalty() -> None:
    made = ByRW()
    link = Outlink(Link("b"), 0.5, 0.5, 0.5)
    assert made.observe(page(link, on_topic=False, distance=1)) == {"b": pytest.approx(TUNNEL_KEEP**2 * 0.5)}
    assert made.observe(page(link)) == {"b": 0.5}
    assert made.observe(page(link, on_topic=False)) == {"b": 0.5}
