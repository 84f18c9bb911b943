from datetime import date

import pytest

from lab.extraction.scores import bag, day, mean_scores, named_alike, same_title, score_page, tokens


def test_tokens() -> None:
    assert tokens("中文 abc-12，Ｄ\u200be") == ["中", "文", "abc", "12", "de"]
    assert tokens(None) == []


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        ("", "", (1, 1, 1)),
        ("一", "", (0, 0, 0)),
        ("", "一", (0, 0, 0)),
        ("一二", "二一", (1, 1, 1)),
        ("一一", "一", (1, 0.5, 2 / 3)),
    ],
)
def test_bag(truth: str, found: str, expected: tuple[float, float, float]) -> None:
    assert bag(tokens(truth), tokens(found)) == pytest.approx(expected)


def test_papers_example_g2() -> None:
    """45 of 50 tokens right, 60 true: papers.md 1.3."""
    truth, found = [str(n) for n in range(60)], [str(n) for n in range(45)] + ["x"] * 5
    assert bag(truth, found) == pytest.approx((0.9, 0.75, 0.818182), abs=1e-6)


def test_titles_and_days() -> None:
    assert same_title("A：b c", "ａ:B-C")
    assert not same_title("一", "二")
    assert day("2015年11月8日") == day("20151108T10") == date(2015, 11, 8)
    assert day("2015-02-30") is None
    assert day(None) is None


@pytest.mark.parametrize(
    ("label", "found", "alike"),
    [
        ("Simulators — LessWrong", "simulators", True),
        ("满记甜品被查", "满记甜品被查_新闻中心_解放牛网", True),
        (
            "Respectful Insolence",
            "Naturopaths are wrong about it : Respectful Insolence",
            False,
        ),  # the site's name alone
        ("A long title of a page", "Another title of it", False),
        ("Naturopaths", "", False),
    ],
)
def test_a_name_beside_a_title_makes_no_other_title(label: str, found: str, alike: bool) -> None:
    assert named_alike(label, found) is named_alike(found, label) is alike


def test_a_day_of_another_zone_is_told_apart_from_another_day() -> None:
    scores = [score_page((None, None, "2015-03-01"), ("", "", found)) for found in ("2015-02-28", "2015-02-27", None)]
    assert [(each.day, each.zoned) for each in scores] == [(False, True), (False, False), (False, False)]


def test_scores_of_pages() -> None:
    right = score_page(("一二", "题", "2015-11-08"), ("一二", "题", "2015-11-08T10:00:00"))
    wrong = score_page(("一二", None, "2015-11-08"), ("三", "题", None))
    scores = mean_scores([right, wrong])
    assert (scores.f1, scores.good, scores.lost, scores.title, scores.day) == (0.5, 0.5, 0.5, 1.0, 0.5)
    assert mean_scores([score_page((None, None, None), ("", "", None))]).f1 is None


@pytest.mark.parametrize(
    ("body", "code", "cells"),
    [
        ("if a:\n    b\n甲\t1\n乙\t2", 1.0, 1.0),
        ("if a:\n  b\n| 甲 | 1 |\n| --- | --- |\n| 乙 | 2 |", 0.5, 1.0),
        ("    b\nif a:\n乙\n2\n甲", 0.5, 0.5),
        ("", 0.0, 0.0),
    ],
)
def test_code_and_cells_count_in_order(body: str, code: float, cells: float) -> None:
    found = score_page(("x", None, None), (body, "", None), ["if a:", "    b"], ["甲", "1", "乙", "2"])
    scores = mean_scores([found])
    assert (scores.code, scores.cells) == (code, cells)
