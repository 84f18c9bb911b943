"""The judge's figures, by hand."""

import pytest

from crawler.records import Analysis, Extraction, Judgement
from lab.links.judge_quality import OTHERS, Verdict, quality, sample, verdict
from lab.links.labels import Label
from lab.links.views import View

PAGES = [
    Verdict(0.9, kept=True, true=True),
    Verdict(0.9, kept=True, true=False),
    Verdict(0.2, kept=False, true=True),
    Verdict(0.0, kept=False, true=False, weight=3.0),
]


def test_figures() -> None:
    found = quality("t", PAGES)
    assert (found.pages, found.precision, found.recall, found.f1) == (4, 0.5, 0.5, 0.5)
    assert found.brier == pytest.approx((0.1**2 + 0.9**2 + 0.8**2) / 6)
    assert found.base == pytest.approx(2 / 6 * 4 / 6)
    assert [(bucket.low, bucket.pages, bucket.chance, bucket.true) for bucket in found.bins] == [
        (0.0, 3.0, 0.0, 0.0),
        (0.2, 1.0, 0.2, 1.0),
        (0.9, 2.0, 0.9, 0.5),
    ]
    assert found.ece == pytest.approx((0.8 + 2 * 0.4) / 6)


def test_a_perfect_judge_and_one_that_keeps_nothing() -> None:
    perfect = quality("t", [Verdict(1.0, kept=True, true=True), Verdict(0.0, kept=False, true=False)])
    assert (perfect.f1, perfect.brier, perfect.ece) == (1.0, 0.0, 0.0)
    blind = quality("t", [Verdict(0.0, kept=False, true=True)])
    assert (blind.precision, blind.recall, blind.f1) == (0.0, 0.0, 0.0)


def test_what_has_no_body_is_not_kept_however_similar() -> None:
    view = View(200, True, analysis=Analysis(Extraction("list", ""), Judgement(0.8, on_topic=True)))
    assert verdict(view, False, 2.0) == Verdict(0.0, kept=False, true=False, weight=2.0)
    assert verdict(View(404), False, 1.0) is None


def test_the_sample_stands_for_all() -> None:
    posts = [Label(f"http://a.example/{n}", "post", frozenset("t")) for n in range(5)]
    others = [Label(f"http://b.example/{n}", "tag", frozenset("t")) for n in range(2 * OTHERS)]
    chosen = sample([*posts, *others], "t")
    assert [label for label, weight in chosen if weight == 1.0] == posts
    assert sum(weight for _, weight in chosen) == len(posts) + len(others)
    assert len(chosen) == len(posts) + OTHERS
    assert chosen == sample([*posts, *others[::-1]], "t")
