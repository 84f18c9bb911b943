"""What an extractor must reach on labelled pages. Lowering one in `lab/benchmarks/floors.json` is a visible act."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from crawler.errors import SettingError
from crawler.reader.text.printable import to_stderr
from lab.extraction.evaluation import Row

FLOORS = Path(__file__).parents[1] / "benchmarks" / "floors.json"
CEILINGS = ("lost",)  # measures of which less is better
MISSED = 1  # exit status when a floor is missed

# extractor -> "language kind" -> measure -> least value (greatest for CEILINGS)
Floors = Mapping[str, Mapping[str, Mapping[str, float]]]


def read_floors(path: Path = FLOORS, part: str = "extraction") -> Floors:
    """Returns the floors of one part of the file. Raises SettingError if it cannot be read."""
    try:
        floors: Floors = json.loads(path.read_text(encoding="utf-8"))[part]
    except (OSError, ValueError, KeyError) as error:
        raise SettingError(
            f"{path}: no floors of {part!r} can be read ({error}); take the file from the project"
        ) from error
    return floors


def below(rows: Sequence[Row], floors: Floors) -> list[str]:
    """Returns a sentence for every floor that is missed. Floors of pages that were not measured are passed over."""
    complaints = []
    for row in rows:
        for measure, floor in floors.get(row.tool, {}).get(f"{row.language} {row.kind}", {}).items():
            value = getattr(row.scores, measure)
            if value is None:
                continue
            if value > floor if measure in CEILINGS else value < floor:
                word = "above its ceiling" if measure in CEILINGS else "below its floor"
                complaints.append(f"{row.tool}, {row.language} {row.kind}: {measure} {value:.3f} is {word} {floor}")
    return complaints


def check_floors(rows: Sequence[Row]) -> int:
    """Prints a sentence for every floor that is missed. Returns the exit status."""
    complaints = below(rows, read_floors())
    for complaint in complaints:
        to_stderr(f"Error: {complaint}")
    return MISSED if complaints else 0
