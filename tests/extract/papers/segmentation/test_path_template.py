"""Example B4 of papers.md 3.6."""

from crawler.extract.papers.segmentation.path_template import Piece, frequent, path_map

A, B, C = 0, 1, 2  # leaves
PIECES = [Piece((A,)), Piece(path="X"), Piece((B,)), Piece(path="X"), Piece((C,)), Piece(path="Y")]


def test_b4_chunks_by_path() -> None:
    found = path_map(PIECES)
    assert {path: (entry.leaves, entry.frequency) for path, entry in found.items()} == {
        "X": ([A, B], 2),
        "Y": ([C], 1),
    }
    assert frequent(found, 2) == [A, B]


def test_text_behind_the_last_section_is_kept() -> None:
    assert path_map([Piece((A,))], rest="X")["X"].leaves == [A]


def test_the_longest_chunk_stands_in_when_no_path_is_frequent() -> None:
    assert frequent(path_map(PIECES), 9) == [A, B]
    assert frequent({}) == []
