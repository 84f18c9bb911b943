"""Arithmetic of printed tables: A5, the F values of D and D4, and E-tab (papers.md 2.10, 5.8, 6.3, 7.10)."""

import pytest

from lab.extraction.scores import bag

# pages, right titles, times and bodies, and their printed percentages; None where the table has no time
CONTINUOUS = {
    "Tencent": (400, (372, 385, 393), (93, 96.25, 98.25)),
    "Sina": (400, (364, 392, 392), (91, 98, 98)),
    "NetEase": (400, (372, 380, 395), (93, 95, 98.75)),
    "Sohu": (400, (366, 395, 396), (92.5, 98.75, 99)),
    "Yunnan Net": (400, (362, 374, 381), (90.75, 93.5, 95.25)),
    "East Money": (400, (358, 374, 377), (89.5, 93.5, 94.25)),
    "Sina Blog": (400, (380, 394, 394), (95, 98.5, 98.5)),
    "Phoenix Blog": (400, (383, 395, 395), (95.65, 98.75, 98.75)),
}
FORUMS = {
    "Tieba": (200, (195, None, 187), (97.5, None, 93.5)),
    "Tianya": (200, (194, None, 188), (97, None, 94)),
    "Dianping": (200, (188, None, 194), (94, None, 97)),
    "ZOL": (200, (187, None, 199), (93.5, None, 99)),
}
TITLE, TIME, BODY = range(3)
ALL = CONTINUOUS | FORUMS


def pooled(rows: dict[str, tuple[int, tuple[int | None, ...], tuple[float | None, ...]]], column: int) -> float:
    counted = [(pages, right[column]) for pages, right, _ in rows.values() if right[column] is not None]
    return 100 * sum(right for _, right in counted) / sum(pages for pages, _ in counted)


def test_a5_and_g2_lines_found_of_lines_meant() -> None:
    both = [f"line {number}" for number in range(45)]
    true = both + [f"missed {number}" for number in range(15)]
    found = both + [f"noise {number}" for number in range(5)]
    assert bag(true, found) == pytest.approx((0.9, 0.75, 0.818182), abs=1e-6)


@pytest.mark.parametrize(
    ("precision", "recall", "printed"),
    [(86.7, 95.8, 91.04), (87.1, 92.1, 89.50), (86.9, 95.6, 91.02)],
)
def test_printed_f_values(precision: float, recall: float, printed: float) -> None:
    assert 2 * precision * recall / (precision + recall) == pytest.approx(printed, abs=0.05)


def test_e_tab_four_percentages_disagree_with_their_counts() -> None:
    wrong = {
        (site, column)
        for site, (pages, right, printed) in ALL.items()
        for column in (TITLE, TIME, BODY)
        if right[column] is not None and 100 * right[column] / pages != pytest.approx(printed[column])
    }
    assert wrong == {("Sohu", TITLE), ("Yunnan Net", TITLE), ("Phoenix Blog", TITLE), ("ZOL", BODY)}


def test_e_tab_pooled() -> None:
    assert [pooled(ALL, column) for column in (TITLE, TIME, BODY)] == pytest.approx([93.025, 96.53125, 97.275])
    assert pooled(CONTINUOUS, TITLE) == pytest.approx(92.41, abs=0.005)
    assert pooled(FORUMS, TITLE) == pytest.approx(95.5)
    assert pooled(CONTINUOUS, BODY) == pytest.approx(97.59, abs=0.005)
    assert pooled(FORUMS, BODY) == pytest.approx(96.0)
