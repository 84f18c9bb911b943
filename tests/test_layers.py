"""The walls of the house (docs/architecture.md): who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "crawler"

# Top to bottom: a room imports only rooms above it, or itself. Below "analyse" Scrapy may be imported.
ROOMS = (
    "errors",
    "records",
    "text",
    "html",
    "discovery",
    "extract",
    "topic",
    "rank",
    "scorers",
    "database",
    "frontier",
    "store",
    "analyse",
)
APART = ({"extract", "topic", "rank"},)  # never import one another


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem != "__init__")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports(path: Path) -> None:
    room = room_of(path)
    for name in imported_rooms(path):
        top, _, rest = name.partition(".")
        assert name != "crawler", "write `from crawler.x import y`"
        if top == "scrapy":
            assert room not in ROOMS, "scrapy is imported below the line only"
        assert top != "lab", "the laboratory may import the crawler, never the other way round"
        if top != "crawler":
            continue
        other = rest.partition(".")[0]
        if room not in ROOMS:
            continue
        assert other in ROOMS, f"{other} lies below the line"
        assert ROOMS.index(other) <= ROOMS.index(room), f"{other} lies below {room}"
        if other != room:
            assert not any({room, other} <= group for group in APART), f"{room} and {other} stand apart"
