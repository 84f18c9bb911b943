"""Characters that nobody sees."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from crawler.reader.html.invisible import visible
from crawler.reader.html.page import Page

PERSIAN = "می\u200cخواهم"
FAMILY = "👨\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("渡\u200b口\u2060的\ufeff船", "渡口的船"),
        ("har\u00adbour", "harbour"),
        ("渡\u200c口\u200d的\u200e船\u200f", "渡口的船"),
        ("葛\U000e0100城\ufe00", "葛城"),
        ("a\u200cb", "ab"),
        (PERSIAN, PERSIAN),
        ("क्\u200dष", "क्\u200dष"),
        (FAMILY, FAMILY),
        ("❤\ufe0f", "❤\ufe0f"),
        ("1\ufe0f⃣", "1\ufe0f⃣"),
        ("שלום\u200f!", "שלום\u200f!"),
    ],
)
def test_visible(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize("mark", ["\u200b", "&#8203;", "&#x200B;", "&ZeroWidthSpace;", "&shy;", "&#xFEFF;", "\u2060"])
def test_a_page_is_read_without_them(mark: str) -> None:
    strewn = mark.join("老渡口停航")
    page = Page(f"<title>{strewn}</title><meta name=author content='{strewn}'><p>{strewn}<b>{strewn}</b>{strewn}</p>")
    assert page.declared.title == page.declared.metas["author"] == "老渡口停航"
    assert [line.text for line in page.layout.lines] == ["老渡口停航" * 3]


def test_control_characters_beside_them() -> None:
    assert Page("<p>老\x01渡\u200b口").layout.lines[0].text.endswith("渡口")


@given(st.text())
def test_twice_is_once(text: str) -> None:
    assert visible(visible(visible(text))) == visible(visible(text))
