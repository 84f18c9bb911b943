"""What of a new text is a change of the page."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from crawler.store.changes import MOST_WORDS, change

TEXT = "月季喜光，夏天要多浇水。\n冬天剪枝，来年花多。"
NEIGHBOUR = "兰花的养法\n兰花喜阴，怕涝。"
SAME = [
    ("a count", f"{TEXT}\n阅读 12 次", f"{TEXT}\n阅读 1,304 次"),
    ("a date of building", f"{TEXT}\nBuilt on Jan 5 2024", f"{TEXT}\nBuilt on Tue, Mar 12 2024"),
    ("white space and punctuation", TEXT, TEXT.replace("，", ",  ")),
    ("a neighbour's title", f"{TEXT}\n兰花的养法", TEXT),
    ("a block of other pages", TEXT, f"{TEXT}\n兰花喜阴，怕涝。"),
    ("a formula that is shown", TEXT, TEXT.replace("多浇水", "多浇水 $x_1 = 3n$ ")),
    ("a formula in other signs", f"{TEXT}\n$$\\alpha+y$$", f"{TEXT}\n\\[\\alpha+\ny\\]"),
    ("a line's formula alone", f"{TEXT}\n$\\alpha_{{ij}}$", f"{TEXT}\n$$\n\\alpha_{{ij}}\n$$"),
    ("typography", f"{TEXT} (C) ＡＢ ﬁn", f"{TEXT} © AB fin"),
    ("emoji", f"{TEXT} :smile:", f"{TEXT} 😄"),
    ("the order of blocks", TEXT, "\n".join(TEXT.splitlines()[::-1])),
]


@pytest.mark.parametrize(("old", "new"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_what_a_site_changes_around_a_text_is_no_change(old: str, new: str) -> None:
    found = change(old, new, NEIGHBOUR.split("\n", 1))
    assert (found.added, found.removed, found.share) == ((), (), 0.0)


@pytest.mark.parametrize(
    ("shown", "is_there"),
    [(f"{TEXT}参考 月季", True), (f"{TEXT}\n参考\n：月季", True), (TEXT, False), (f"{TEXT}\n参考", False)],
)
def test_what_the_page_still_shows_has_not_gone(shown: str, is_there: bool) -> None:
    found = change(f"{TEXT}\n参考：月季", TEXT, shown=shown)
    assert (found.removed == ()) == is_there
    assert change(TEXT, f"{TEXT}\n参考：月季", shown=f"{shown}\n参考：月季").added, "what has come stands there too"
    twice = change(f"{TEXT}\n参考：月季\n参考：月季", f"{TEXT}\n参考：月季", shown=f"{TEXT}\n参考：月季")
    assert twice.removed, "it stands once in the page, and once in its body"


EDITS = [
    ("a word", TEXT.replace("夏天", "春天"), ["春"], ["夏"]),
    ("a sentence more", f"{TEXT}\n盆要 大些，3 年换一次土。", ["盆要 大些，3 年换一次土"], []),
    ("what stands between two variables", f"{TEXT}\n$HOME 与 $PATH", ["HOME 与 $PATH"], []),
    ("a block less", TEXT.splitlines()[0], [], ["冬天剪枝，来年花多"]),
]


@pytest.mark.parametrize(("new", "added", "removed"), [row[1:] for row in EDITS], ids=[row[0] for row in EDITS])
def test_an_edit_is_told_in_words(new: str, added: list[str], removed: list[str]) -> None:
    found = change(TEXT, new)
    assert (list(found.added), list(found.removed)) == (added, removed)
    assert 0.0 < found.share < 1.0


NUMBERS = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥"
LONG = "\n".join(f"第{n}段：月季第{n}年开花{n * 7}朵，颜色各不相同。" for n in NUMBERS)
LINES = [
    ("a caption more", f"{LONG}\n图为红月季", True),
    ("a reference less", LONG, False),
    ("a word for another", LONG.replace("第甲年", "第乙年", 1), False),
    ("a line for another", f"{LONG}\n图为红月季".replace("第甲段", "第乙段", 1), False),
    ("a sentence", f"{LONG}\n{'更正：上文所说的品种有误，' * 3}", False),
    ("a line of a short text", TEXT, False),
]


@pytest.mark.parametrize(("new", "is_line"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_a_short_line_alone(new: str, is_line: bool) -> None:
    old = f"{LONG}\n参考：月季" if new == LONG else TEXT.splitlines()[0] if new == TEXT else LONG
    found = change(old, new)
    assert found.share > 0.0
    assert found.is_line == is_line


def test_long_texts_are_compared_by_blocks() -> None:
    long = "花" * (MOST_WORDS + 1)
    found = change(f"{TEXT}\n{long}", f"{TEXT}\n{long}草")
    assert (found.added, found.removed) == ((f"{long}草",), (long,))


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_is_added_on_one_way_is_removed_on_the_other(old: str, new: str) -> None:
    there, back = change(old, new), change(new, old)
    assert there.share == pytest.approx(change(old, new).share)
    assert 0.0 <= there.share <= 1.0
    assert bool(there.share) == bool(there.added or there.removed) == bool(back.share)
    assert change(old, old).share == 0.0
