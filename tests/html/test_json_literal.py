import pytest

from crawler.html.json_literal import texts_of


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ('"图论"', ["图论"]),
        ('"a\\nb\\u56fe"', ["a\nb图"]),
        ('"a\nb"', ["a\nb"]),  # a line break that JSON would have escaped
        ('["图论", 3, null, {"a": "b"}, ["c"], "算法"]', ["图论", "算法"]),
        ('"\\ud83d\\ude00"', ["😀"]),
        ('"题\\ud83d"', ["题"]),
        ('"题\\u0000目"', ["题目"]),
        ("3", []),
        ('{"a": "b"}', []),
        ('"a', []),
        ("", []),
        ("[" * 100_000, []),
    ],
)
def test_texts_of(literal: str, expected: list[str]) -> None:
    assert texts_of(literal) == expected
