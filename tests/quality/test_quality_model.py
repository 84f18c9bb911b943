"""How good a text is: features and the model."""

from __future__ import annotations

from math import isfinite

import pytest
from hypothesis import given, strategies as st

from lab.quality_model import learned
from zhuti.quality.model import NAMES, bundled, features

TUTORIAL = (
    "快速排序先选一个基准，因此小的数都在左边。例如对五个数，首先比较第一个，然后递归，所以平均是线性对数时间。\n" * 12
)
ADVERTISEMENT = "全场优惠！购买热线 010，客户免费咨询官网价格，品牌促销！\n"


def test_the_bundled_model() -> None:
    model = bundled()
    assert model.taught_by == 300
    assert model.of("快速排序", TUTORIAL) > 0.5 > 0.3 > model.of("优惠", ADVERTISEMENT)
    assert model.of("题目", " \n") == 0.0


@pytest.mark.parametrize(
    ("name", "body", "value"),
    [
        ("lines", "一\n\n 二 \n三", 4),  # the title is one
        ("han", "汉字ab", 0.6),
        ("marks", "，，，，a。。。。", 0.8),
        ("stamps", "12:30 2024-01-02 x 二〇二四年", 20.0),  # at most
        ("persons", "字" * 998 + "我", 1.0),
        ("selling", "字" * 998 + "店", 1.0),
        ("joining", "x" * 991 + " because", 1.0),
        ("code", "int main() {\n七字文章七字文", 12 / 20),
    ],
)
def test_features(name: str, body: str, value: float) -> None:
    found = dict(zip(NAMES, features("题", body), strict=True))[name]
    if name == "lines":
        found = round(2.718281828**found - 1)
    assert found == pytest.approx(value, rel=0.02)


@given(st.text(), st.text())
def test_any_text_has_a_quality(title: str, body: str) -> None:
    assert all(map(isfinite, features(title, body)))
    assert 0.0 <= bundled().of(title, body) <= 1.0


def test_a_model_of_graded_pages() -> None:
    texts, grades = [("快速排序", TUTORIAL), ("优惠", ADVERTISEMENT)] * 20, [4.0, 0.0] * 20
    model = learned(texts, grades)
    assert model.of(*texts[0]) > 0.6 and model.of(*texts[1]) < 0.2
