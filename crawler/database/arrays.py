"""Lists as PostgreSQL writes arrays. The driver does the same element by element, through several objects for each: a
quarter of a commit's CPU."""

from __future__ import annotations

from collections.abc import Sequence


def numbers(values: Sequence[float | bool | None]) -> str:
    """ "{1,NULL,2.5}" """
    if None in values:
        return "{" + ",".join("NULL" if value is None else str(value) for value in values) + "}"
    return "{" + ",".join(map(str, values)) + "}"


def texts(values: Sequence[str | None]) -> str:
    """'{"a","b \\"quoted\\"",NULL}'"""
    if values and None not in values:
        joined = '","'.join(values)  # type: ignore[arg-type]
        if "\\" not in joined and joined.count('"') == 2 * (len(values) - 1):  # nothing to quote, as in most addresses
            return f'{{"{joined}"}}'
    return "{" + ",".join("NULL" if value is None else _quoted(value) for value in values) + "}"


def _quoted(value: str) -> str:
    if "\\" in value or '"' in value:
        value = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{value}"'
