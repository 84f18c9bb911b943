import pytest
from hypothesis import given, strategies as st

from crawler.reader.extract.characters import count_letters
from crawler.reader.extract.words import TEXTS, gram


@pytest.mark.parametrize(
    ("text", "size", "cjk", "words", "zh_marks", "marks", "commas", "digits", "stop"),
    [
        ("老桥，新路。", 6, 4, 0, 2, 0, 1, 0, 1),
        ("Old bridge, 2 km.", 14, 0, 4, 0, 2, 1, 1, 1),
        ("x12", 3, 0, 1, 0, 0, 0, 2, 0),
        ("\U00020000字", 2, 2, 0, 0, 0, 0, 0, 0),  # CJK above the basic plane
        ("\ud800", 1, 0, 0, 0, 0, 0, 0, 0),  # half a character, as broken pages have
    ],
)
def test_counts(
    text: str, size: int, cjk: int, words: int, zh_marks: int, marks: int, commas: int, digits: int, stop: int
) -> None:
    found = count_letters([text, "x"], "")
    assert (found.size[0], found.cjk[0], found.words[0]) == (size, cjk, words)
    assert (found.zh_marks[0], found.marks[0], found.commas[0]) == (zh_marks, marks, commas)
    assert (found.digits[0], found.stop[0]) == (digits, stop)


@pytest.mark.parametrize(
    ("text", "group", "has"),
    [
        ("分享到", "share", True),
        ("Shared by", "share", True),
        ("unshared", "share", False),  # words count from their start
        ("12 COMMENTS", "comment", True),
        ("分 享", "share", False),
    ],
)
def test_groups_of_words(text: str, group: str, has: bool) -> None:
    assert bool(count_letters([text], "").groups[0] >> TEXTS.index(group) & 1) is has


def test_grams_of_the_title() -> None:
    found = count_letters(["面馆换招牌", "换车", "Old ferry", "folders"], "面馆换招牌 - old ferry".lower())
    assert found.titled[0] == 4
    assert found.titled[1] == 0
    assert found.titled[2] > 2
    assert found.titled[3] == 0


@pytest.mark.parametrize(
    ("text", "stamped"), [("2019-03-08", 2), ("10:22", 1), ("3月8日", 1), ("3.14", 0), ("1 / 2", 0)]
)
def test_figures_of_dates(text: str, stamped: int) -> None:
    assert count_letters([text], "").stamped[0] == stamped


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=10))
def test_blocks_are_counted_each_alone(texts: list[str]) -> None:
    together = count_letters(texts, "标题")
    for place, text in enumerate(texts):
        alone = count_letters([text], "标题")
        for column in ("size", "cjk", "words", "marks", "digits", "stop", "stamped"):
            assert getattr(together, column)[place] == getattr(alone, column)[0]


@given(st.lists(st.integers(0, 0xFFFF), min_size=4, max_size=4))
def test_grams_have_places_in_a_table(points: list[int]) -> None:
    assert 0 <= gram(*points) < 1 << 16
