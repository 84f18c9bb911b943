"""Texts out of the JSON that pages carry in their scripts."""

from __future__ import annotations

import json


def texts_of(literal: str) -> list[str]:
    """The text that a JSON string stands for, or the texts of a JSON array; entries of other kinds are left out.

    Empty for broken JSON and for arrays nested deeper than Python reads. Without NUL and halves of surrogate pairs,
    which scripts that cut a text in the middle of an emoji leave behind: no file and no database takes these.
    """
    try:
        value = json.loads(literal, strict=False)
    except (ValueError, RecursionError):
        return []
    entries = value if isinstance(value, list) else [value]
    return [_encodable(entry) for entry in entries if isinstance(entry, str)]


def _encodable(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "ignore").decode()
