import pytest

from crawler.reader.extract.words import GROUPS, name_mask


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
