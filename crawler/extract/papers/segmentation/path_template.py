"""Text of a body cluster by the tag paths of its tables and divs (papers.md 3.6).

Readings: the chunk is reset after each table or div and stored texts are appended to (register 14); the threshold of
the frequencies is their mean.

References: Hou Mingyan, Yang Tianqi 2011; papers.md 3.6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from crawler.extract.papers.segmentation.thresholds import frequency_threshold

SECTIONS = frozenset(["table", "div"])


@dataclass(frozen=True, slots=True)
class Piece:
    """A step through the cluster: a text (path None), or a table or div that ends the chunk before it."""

    leaves: tuple[int, ...] = ()
    path: str | None = None


@dataclass(slots=True)
class Entry:
    leaves: list[int] = field(default_factory=list)  # the text, as numbers of leaves
    frequency: int = 0


def path_map(pieces: Iterable[Piece], rest: str = "") -> dict[str, Entry]:
    """Tag path of each section to the text before it and how often it came; text behind the last section goes under
    the path `rest`."""
    found: dict[str, Entry] = {}
    chunk: list[int] = []
    for piece in pieces:
        if piece.path is None:
            chunk.extend(piece.leaves)
            continue
        _flush(found, piece.path, chunk)
        chunk = []
    if chunk:
        _flush(found, rest, chunk)
    return found


def _flush(found: dict[str, Entry], path: str, chunk: list[int]) -> None:
    entry = found.setdefault(path, Entry())
    entry.leaves.extend(chunk)
    entry.frequency += 1


def frequent(found: dict[str, Entry], least: float | None = None) -> list[int]:
    """Numbers of the leaves under the paths that came at least `least` times, the mean by default; of the longest
    chunk if no path did. Ascending."""
    if not found:
        return []
    if least is None:
        least = frequency_threshold([entry.frequency for entry in found.values()])
    kept = [number for entry in found.values() if entry.frequency >= least for number in entry.leaves]
    return sorted(kept or max(found.values(), key=lambda entry: len(entry.leaves)).leaves)
