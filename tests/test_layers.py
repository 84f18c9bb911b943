"""The walls of the house (docs/architecture.md): who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import networkx as nx
import pytest

HOUSE = Path(__file__).parent.parent
ROOT = HOUSE / "crawler"

# Top to bottom: a room imports only rooms above it, or itself. Scrapy is imported below the line only.
ABOVE = (
    "errors",
    "messages",
    "clock",
    "recent",
    "records",
    "bundled",
    "plugins",
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
BELOW = (
    "settings",
    "addon",
    "options",
    "cli",
    "crawl",
    "middlewares",
    "spiders",
    "pipelines",
    "scheduler",
    "extensions",
    "commands",
)
ROOMS = ABOVE + BELOW
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
            assert room not in ABOVE, "scrapy is imported below the line only"
        assert top != "lab", "the laboratory may import the crawler, never the other way round"
        if top != "crawler":
            continue
        other = rest.partition(".")[0]
        assert ROOMS.index(other) <= ROOMS.index(room), f"{other} lies below {room}"
        if other != room:
            assert not any({room, other} <= group for group in APART), f"{room} and {other} stand apart"


def test_no_circles() -> None:
    """Between modules, those of one room too."""
    paths = [*ROOT.rglob("*.py"), *(HOUSE / "lab").rglob("*.py")]
    modules = {".".join(path.relative_to(HOUSE).with_suffix("").parts): path for path in paths}
    imports: nx.DiGraph[str] = nx.DiGraph()
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                whole = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
                imports.add_edges_from((name, other) for other in whole & modules.keys())
    assert [sorted(circle) for circle in nx.strongly_connected_components(imports) if len(circle) > 1] == []
