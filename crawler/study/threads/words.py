"""What forums print around the posts, and short replies: `words.toml`, by language."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("words.toml")
Some = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """Of one language; the file says what each is."""

    names: Some
    sites: Some
    boards: Some
    papers: Some
    channels: Some
    menu: Some
    levels: Some
    dates: Some
    stamps: Some
    floors: Some
    first_floors: Some
    see: Some
    buttons: Some
    report: Some
    votes: Some
    edited: Some
    counts: Some
    counted: Some
    quoted: Some
    wrote: Some
    devices: Some
    files: Some
    rated: Some
    replied: Some
    form: Some
    boxes: Some
    footer: Some
    phrases: Some
    questions: Some
    tails: Some
    re: str
    space: str


@cache
def words() -> dict[str, Words]:
    """By language, "zh" and "en"."""
    with FILE.open("rb") as file:
        table = tomllib.load(file)
    return {language: _words(own) for language, own in table.items()}


def _words(table: dict[str, Any]) -> Words:
    own: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    return Words(**own)
