"""Example E4 of papers.md 7.5."""

import pytest

from crawler.reader.papers.fused.containers import BodyNode, reference


def test_e4_scores() -> None:
    assert BodyNode(0, 6, 40, 0).score == pytest.approx(16.2)
    assert BodyNode(1, 4, 120, 0).score == pytest.approx(38.8)


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([], None),
        ([BodyNode(4, 0, 3, 0)], 4),
        ([BodyNode(0, 6, 40, 0), BodyNode(1, 4, 120, 0)], 1),
        ([BodyNode(0, 7, 50, 0), BodyNode(1, 2, 400, 0)], 0),  # 3.5 times as many words
        ([BodyNode(0, 1, 5, 0), BodyNode(1, 0, 400, 0)], 0),  # none counts as over three times
        ([BodyNode(0, 0, 5, 0), BodyNode(1, 0, 400, 0)], 1),
        ([BodyNode(0, 2, 50, 1), BodyNode(1, 2, 50, 3)], 1),  # equal F: punctuation
        ([BodyNode(0, 2, 50, 1), BodyNode(1, 2, 50, 1)], 0),
        ([BodyNode(0, 1, 900, 9), BodyNode(1, 5, 10, 0), BodyNode(2, 4, 20, 0)], 2),  # of the first two by words
    ],
)
def test_e4_reference(candidates: list[BodyNode], expected: int | None) -> None:
    found = reference(candidates)
    assert (found.node if found else None) == expected
