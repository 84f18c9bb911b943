import pytest

from crawler.reader.extract.words import GROUPS, MAX_STYLE, hidden_by_style, name_mask, strewn_by_style


def groups(name: str) -> set[str]:
    mask = name_mask(name)
    return {group for bit, group in enumerate(GROUPS) if mask >> bit & 1}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", set()),
        ("xyz", set()),
        ("article", {"content"}),
        ("Post-Title", {"post", "head"}),
        ("ad", {"advert"}),  # a word that stands alone
        ("badge ads_1", {"tags", "advert"}),
        ("adapt", set()),
        ("breadcrumb", {"menu", "tags"}),
    ],
)
def test_name_mask(name: str, expected: set[str]) -> None:
    assert groups(name) == expected


@pytest.mark.parametrize(
    ("style", "hidden", "strewn"),
    [
        ("", False, False),
        ("color: red", False, False),
        ("Display : none", True, True),
        ("visibility:hidden", True, True),
        ("font-size:0", False, True),
        ("font-size: 0px; color: #fff", False, True),
        ("font-size:0.5em", False, False),
        (f"background: url({'A' * MAX_STYLE}); display:none", True, True),
        (f"background: url({'A' * MAX_STYLE}); font-size:0", False, True),
    ],
)
def test_styles(style: str, hidden: bool, strewn: bool) -> None:
    assert (hidden_by_style(style), strewn_by_style(style)) == (hidden, strewn)
