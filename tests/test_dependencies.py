"""What the crawler imports is declared in pyproject.toml."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

USERS = (
    "parquet",
    "search",
    "postgres",
    "web",
    "mcp",
    "pdf",
    "render",
    "lake",
    "corpus",
    "metrics",
    "sign",
)  # extras for users; the others are for who works on the project
OWN = {"crawler", "zhuti", "lab"}
LATER = {"compression"}  # in the library of Python 3.14
OF_CLUSTERS = {"ray"}  # comes with the cluster, in its version


def imported(path: Path) -> Iterator[str]:
    """The packages that a module names, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_all_that_the_crawler_imports_is_declared() -> None:
    """Also what another dependency happens to bring along."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for extra in USERS for line in project["optional-dependencies"][extra]]
    declared = {canonicalize_name(Requirement(line).name) for line in [*project["dependencies"], *extras]}
    files = [path for folder in ("crawler", "zhuti") for path in (ROOT / folder).rglob("*.py")]
    foreign = {name for path in files for name in imported(path)} - sys.stdlib_module_names - OWN - LATER - OF_CLUSTERS
    brought = metadata.packages_distributions()
    undeclared = {name for name in foreign if not declared & set(map(canonicalize_name, brought.get(name, [name])))}
    assert undeclared == {"zope", "markupsafe"}, "which are part of what Twisted and Jinja offer"
