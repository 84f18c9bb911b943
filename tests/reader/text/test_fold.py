import pytest
from hypothesis import given, strategies as st

from crawler.reader.text.fold import fold

TESTS = [
    ("機器學習", "机器学习"),
    ("机器学习", "机器学习"),
    ("ＡＩ", "ai"),
    ("Ⅳ①", "iv1"),
    ("頭髮發展", "头发发展"),
    ("乾燥", "干燥"),
    ("ﾊﾟ", "パ"),
    ("E\u0301", "é"),
    ("ß", "ß"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), TESTS)
def test_fold(text: str, expected: str) -> None:
    assert fold(text) == expected


@given(st.text("abcABC機器學習机器学习ＡＢ，。、é裡"), st.text("abcABC機器學習机器学习ＡＢ，。、é裡"))
def test_folding_a_text_is_folding_its_parts(left: str, right: str) -> None:
    assert fold(left + right) == fold(left) + fold(right)


@given(st.text())
def test_fold_never_raises_and_settles(text: str) -> None:
    once = fold(text)
    assert fold(fold(once)) == fold(once)
