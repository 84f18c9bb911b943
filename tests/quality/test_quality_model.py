"""How good a text is: features, the model, and what few grades change."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from crawler.errors import ModelError
from zhuti.quality.features import NAMES, features
from zhuti.quality.model import BUNDLED, learned, load

TUTORIAL = (
    "快速排序先选一个基准，因此小的数都在左边。例如对五个数，首先比较第一个，然后递归，所以平均是线性对数时间。\n" * 12
)
ADVERTISEMENT = "全场优惠！购买热线 010，客户免费咨询官网价格，品牌促销！\n"


def test_the_bundled_model() -> None:
    model = load()
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
    assert 0.0 <= load().of(title, body) <= 1.0


def test_few_grades_change_little_and_many_all() -> None:
    before = load()
    texts, grades = [("快速排序", TUTORIAL), ("优惠", ADVERTISEMENT)], [0.0, 5.0]
    few, many = learned(texts, grades, before), learned(texts * 500, grades * 500, before)
    assert abs(few.of(*texts[0]) - before.of(*texts[0])) < 0.25
    assert many.of(*texts[0]) < 0.2 and many.of(*texts[1]) > 0.8
    assert many.taught_by == before.taught_by + 1000


def test_a_model_of_ones_own_grades_alone(tmp_path: Path) -> None:
    texts, grades = [("快速排序", TUTORIAL), ("优惠", ADVERTISEMENT)] * 20, [4.0, 0.0] * 20
    model = learned(texts, grades)
    model.save(tmp_path / "m.json")
    assert load(tmp_path / "m.json") == model
    assert model.of(*texts[0]) > 0.6 and model.of(*texts[1]) < 0.2
    with pytest.raises(ModelError, match="at least two grades"):
        learned(texts[:1], grades[:1])


@pytest.mark.parametrize(
    "change",
    [
        {"names": ["length"]},
        {"scale": [0.0] * len(NAMES)},
        {"weights": [1.0]},
        {"weights": ["a"] * len(NAMES)},
        {"bias": float("nan")},
        {"bias": None},
        {"more": 1},
    ],
)
def test_a_broken_model(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(json.loads(BUNDLED.read_text("utf-8")) | change), encoding="utf-8")
    with pytest.raises(ModelError, match="not a quality model of this version"):
        load(path)


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"[" * 100_000])
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"m\.json is not a quality model"):
        load(tmp_path / "m.json")
