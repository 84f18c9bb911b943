import pytest
from hypothesis import given, strategies as st

from crawler.reader.text.measures import (
    any_punct,
    byte_len,
    char_len,
    cjk_share,
    language,
    norm_ws,
    punct,
    punct_mode,
    zh_punct,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \n\t\xa0\u3000", ""),
        ("机器 \n 学习", "机器学习"),
        ("机器，\n学习", "机器，学习"),
        ("机\u3000器 学\r\n习 abc", "机器学习 abc"),
        ("a  b\n\nc", "a b c"),
        ("a&amp;b&nbsp;&nbsp;c &lt;", "a&b c <"),
        ("日 日 日", "日日日"),
    ],
)
def test_norm_ws(text: str, expected: str) -> None:
    assert norm_ws(text) == expected


def test_byte_len_of_papers_example_g1() -> None:
    assert byte_len("中国ab1，") == 9


def test_char_len_leaves_blanks_out() -> None:
    assert char_len(" 机器 学习 a b\n") == 6


def test_punctuation() -> None:
    text = "一，二。三！“四” — (five), six."
    assert zh_punct(text) == 6
    assert any_punct(text) == 10
    assert punct(text, "zh") == 6
    assert punct(text, "any") == 10


@pytest.mark.parametrize(
    ("text", "share", "mode"),
    [
        ("", 0.0, "any"),
        ("中文", 1.0, "zh"),
        ("中 abc", 0.25, "zh"),
        ("中" + "a" * 99, 0.01, "any"),
        ("，。", 0.0, "any"),
    ],
)
def test_cjk_share(text: str, share: float, mode: str) -> None:
    assert cjk_share(text) == pytest.approx(share)
    assert punct_mode(text) == mode


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("123 456", ""),
        ("abc", ""),
        ("机器学习", "zh"),
        ("用 numpy.linalg.solve(a, b) 求解线性方程组", "zh"),
        ("int main() {\n  return compute(a, b);\n}\n/* nothing to say here */", ""),
        (f"先看代码的第一部分。\n{'    print(value_of[index])' * 30}\n就是这样。", "zh"),
        ("機器學習是人工智慧的一個分支", "zh"),
        ("これは日本語の文章です。", "ja"),
        ("이것은 한국어 문장입니다.", "ko"),
        ("This is a simple English sentence about sorting numbers.", "en"),
        ("Das ist ein deutscher Satz über Maschinen und ihre Teile.", "de"),
    ],
)
def test_language(text: str, expected: str) -> None:
    assert language(text) == expected


@given(st.text())
def test_measures_hold_for_any_text(text: str) -> None:
    assert 0 <= cjk_share(text) <= 1
    assert zh_punct(text) <= any_punct(text) <= len(text) <= byte_len(text) <= 2 * len(text)
    assert "  " not in norm_ws(text)
    assert language(text) in ("",) or len(language(text)) in (2, 3)
