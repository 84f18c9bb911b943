"""Example E4 of papers.md 7.5."""

import pytest

from crawler.extract.papers.fused.reference import Candidate, reference


def test_e4_scores() -> None:
    assert Candidate(0, 6, 40, 0).score == pytest.approx(16.2)
    assert Candidate(1, 4, 120, 0).score == pytest.approx(38.8)


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([], None),
        ([Candidate(4, 0, 3, 0)], 4),
        ([Candidate(0, 6, 40, 0), Candidate(1, 4, 120, 0)], 1),
        ([Candidate(0, 7, 50, 0), Candidate(1, 2, 400, 0)], 0),  # 3.5 times as many words
        ([Candidate(0, 1, 5, 0), Candidate(1, 0, 400, 0)], 0),  # none counts as over three times
        ([Candidate(0, 0, 5, 0), Candidate(1, 0, 400, 0)], 1),
        ([Candidate(0, 2, 50, 1), Candidate(1, 2, 50, 3)], 1),  # equal F: punctuation
        ([Candidate(0, 2, 50, 1), Candidate(1, 2, 50, 1)], 0),
        ([Candidate(0, 1, 900, 9), Candidate(1, 5, 10, 0), Candidate(2, 4, 20, 0)], 2),  # of the first two by words
    ],
)
def test_e4_reference(candidates: list[Candidate], expected: int | None) -> None:
    found = reference(candidates)
    assert (found.node if found else None) == expected
