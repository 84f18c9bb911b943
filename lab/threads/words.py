"""What Chinese forums print around the posts, and short replies: `words.toml`."""

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
    """The words of `words.toml`; the file says what each is."""

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


@cache
def words() -> Words:
    """Reads `words.toml`."""
    with FILE.open("rb") as file:
        table = tomllib.load(file)
    own: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    return Words(**own)
