"""Grades of texts, in a file of JSON Lines that is theirs alone: title, body and grade of each page, so that they teach
on any machine and for any topic. Of several to one URL a person's counts before a model's, and of those the last."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from crawler.errors import LabelError
from crawler.labels.labels import Who
from crawler.messages import _
from zhuti.quality.model import BEST


@dataclass(frozen=True, slots=True)
class GradedText:
    """One grade of one page."""

    url: str
    title: str
    body: str
    grade: int  # 0 to BEST
    at: float  # seconds since the epoch
    who: str = Who.PERSON  # labels.labels.Who


def read(path: Path) -> list[GradedText]:
    """The grades that count, the oldest first; none where the file is not there. Raises LabelError."""
    counting: dict[str, GradedText] = {}
    try:
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
    except (OSError, UnicodeDecodeError) as error:
        raise LabelError(_("{path} cannot be read: {error}"), path=path, error=error) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        new = _graded(line, path, number)
        if new.who == Who.PERSON or counting.get(new.url, new).who == Who.MODEL:
            counting.pop(new.url, None)
            counting[new.url] = new
    return list(counting.values())


def add(path: Path, graded: Iterable[GradedText]) -> None:
    """Raises LabelError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for one in graded:
                file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
    except OSError as error:
        raise LabelError(_("{path} cannot be written: {error}"), path=path, error=error) from error


def _graded(line: str, path: Path, number: int) -> GradedText:
    try:
        found = json.loads(line)
        one = GradedText(**{field.name: found[field.name] for field in fields(GradedText)})
        texts = all(isinstance(text, str) for text in (one.url, one.title, one.body))
        if not texts or one.grade not in range(BEST + 1) or one.who not in set(Who):
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LabelError(
            _("{path}, line {number}, is not a grade: give url, title, body, grade from 0 to {best}, at and who"),
            path=path,
            number=number,
            best=BEST,
        ) from error
    return one
