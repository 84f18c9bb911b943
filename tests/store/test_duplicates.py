import pytest

from crawler.store.duplicates import digest

PAIRS = [
    ("正文", "正文", True),
    ("正文\n第二段", "正文 第二段", True),
    ("正文　全角空白", "正文全角空白", True),
    ("Machine Learning", "machine  learning", True),
    ("正文", "本文", False),
    ("", "正文", False),
    ("正文。", "正文", False),
]


@pytest.mark.parametrize(("one", "other", "same"), PAIRS)
def test_digest(one: str, other: str, same: bool) -> None:
    assert (digest(one) == digest(other)) is same


def test_broken_characters() -> None:
    assert digest("\ud800") != digest("")
