"""Examples B1 to B5 of papers.md 3, and laws of clusters, cuts and thresholds."""

import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.page import Page
from crawler.reader.papers.outline import Outline
from crawler.reader.papers.segmentation import (
    CLEANING,
    Cluster,
    Thresholds,
    bn_threshold,
    body_cluster,
    by_section,
    cluster,
    clusters,
    frequent,
    list_noise,
    segmentation,
    threshold,
    two_means,
)

NUMBERS = st.sets(st.integers(0, 400), min_size=1, max_size=30).map(lambda found: tuple(sorted(found)))
MARKUP = "<div> </div> <p> <h2> <table><tr><td> <li> </a> 甲乙 丙，丁。 <br>"
PIECES = st.sampled_from([*MARKUP.split(), "<a href=x>"])
LENGTHS = [4, 6, 8, 10, 12, 300, 340, 420]
VALUES = st.lists(st.floats(0, 1e6), min_size=1, max_size=30)
NAV = "".join(f"<li><a href={n}>栏目{n}</a></li>" for n in range(30))
SENTENCE = "今年的雨水比往年来得早，河边的柳树已经发了新芽，大家都说是个好年景。"


def page_of(markup: str) -> Outline:
    return Outline.of(Page(markup), CLEANING)


@pytest.mark.parametrize(
    ("counts", "expected"), [((0, 80, 0, 20), 0), ((1500, 20, 12, 1), 0.910931), ((0, 0, 0, 0), 0)]
)
def test_b1_list_noise(counts: tuple[int, int, int, int], expected: float) -> None:
    assert list_noise(*counts) == pytest.approx(expected, rel=1e-3)


def test_b2_statistics_and_cut() -> None:
    whole = Cluster((10, 12, 14, 16, 18, 58), 0, 0.0)
    assert whole.gaps == [2, 2, 2, 2, 40]
    assert whole.period == pytest.approx(9.6)
    assert whole.variance == pytest.approx(231.04)
    assert not whole.is_even
    assert whole.parts() == [(10, 12, 14, 16, 18), (58,)]
    first = Cluster(whole.parts()[0], 0, 0.0)
    assert (first.period, first.variance) == (2, 0)


def test_one_leaf_has_no_period() -> None:
    assert (Cluster((7,), 0, 0.0).period, Cluster((7,), 0, 0.0).variance) == (0, 0)


def test_b3_the_longest_cluster_is_cut_and_its_even_part_taken() -> None:
    body = "".join(f"<p>{SENTENCE}</p><h3>节</h3>" for _ in range(5))
    page = page_of(f"<ul>{NAV}</ul><div>{body}</div><ul>{NAV}</ul><div><p>{SENTENCE}</p></div>")
    found = clusters(page)
    best = body_cluster(page, found, Thresholds(length=250, bn=0.5))
    assert best is not None
    assert len(best.numbers) == 5
    assert best.period == 2
    assert best.length == 5 * 2 * len(SENTENCE)


def test_no_cluster_passes_on_a_hub_page() -> None:
    page = page_of(f"<ul>{NAV}</ul>")
    assert body_cluster(page, clusters(page), Thresholds(length=1e6, bn=1e6)) is None


def test_b4_text_by_section() -> None:
    page = page_of("<table><tr><td>甲</td><td>乙</td></tr></table><div><p>丙</p></div>")
    found = by_section(page, Cluster((0, 1, 2), 0, 0.0))
    assert found == {"html/body/table": [0, 1], "html/body/div": [2]}
    assert frequent(found) == [0, 1]


def test_b5_mean_frequency() -> None:
    assert frequent({"a": [0], "b": [1, 2], "c": [3, 4, 5], "d": [6, 7, 8, 9, 10, 11]}) == list(range(3, 12))


def test_links_inside_of_a_paragraph_stay() -> None:
    text = f"<p>{SENTENCE}<a href=x>柳树</a>{SENTENCE}</p><p>{SENTENCE}</p>"
    found = segmentation(Page(f"<ul>{NAV}</ul><div>{text}</div>"))
    assert found.body == f"{SENTENCE}柳树{SENTENCE}\n{SENTENCE}"


@given(numbers=NUMBERS)
def test_cutting_loses_no_leaf_and_always_ends(numbers: tuple[int, ...]) -> None:
    parts = Cluster(numbers, 0, 0.0).parts()
    assert tuple(number for part in parts for number in part) == numbers
    assert len(numbers) == 1 or len(parts) < len(numbers)


@given(pieces=st.lists(PIECES, max_size=40))
def test_clusters_partition_the_leaves(pieces: list[str]) -> None:
    page = page_of("".join(pieces))
    found = clusters(page)
    assert sorted(number for part in found for number in part.numbers) == list(range(len(page.leaves)))
    for part in found:
        assert 0 <= cluster(page, part.numbers).bn <= 1


def test_b5_two_means() -> None:
    assert two_means(LENGTHS) == pytest.approx((8, 353.333), abs=1e-3)
    assert threshold(LENGTHS) == pytest.approx(180.667, abs=1e-3)


def test_equal_values_all_pass() -> None:
    assert threshold([5, 5]) < 5
    assert threshold([0]) < 0


def test_a_heavy_tail_is_clustered_by_its_logarithm() -> None:
    values = [0.001, 0.002, 0.001, 0.002, 50.0, 3000.0]
    assert 0.002 < bn_threshold(values) < 50
    assert threshold(values) > 50


@given(values=VALUES)
def test_a_threshold_lies_between_the_values(values: list[float]) -> None:
    found = threshold(values)
    assert found <= max(values)
    assert any(value > found for value in values)
