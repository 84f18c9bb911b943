"""What is installed, what the READMEs say of it, and what the code imports are the same."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
USERS = ("parquet", "search", "postgres")  # extras for users; the others are for who works on the project
TABLES = {"README.md": ("What each dependency is for", ", "), "README.zh-CN.md": ("每个依赖的用处", "、")}
OWN = {"crawler", "zhuti", "lab", "tests"}
LATER = {"compression"}  # in the library of Python 3.14


def names(*lines: str) -> set[str]:
    return {canonicalize_name(Requirement(line).name) for line in lines}


EXTRAS = {extra: names(*PROJECT["optional-dependencies"][extra]) for extra in USERS}
BASE = names(*PROJECT["dependencies"])


@pytest.mark.parametrize("readme", TABLES)
def test_the_table_names_each_dependency_once(readme: str) -> None:
    heading, comma = TABLES[readme]
    section = (ROOT / readme).read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    told = [row.split(" | ")[0].removeprefix("| ") for row in section.splitlines() if row.startswith("| ")][1:]
    named = [name for cell in told for name in re.split(comma, re.sub(r"(, (in|where) |（).*", "", cell))]
    assert sorted(map(canonicalize_name, named)) == sorted(BASE.union(*EXTRAS.values()))
    for extra, needed in EXTRAS.items():
        assert needed <= {name for cell in told if f"`{extra}`" in cell for name in re.findall(r"[\w-]+", cell)}


def imported(path: Path) -> Iterator[str]:
    """The packages that a module names, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_all_that_the_crawler_imports_is_declared() -> None:
    """Also what another dependency happens to bring along."""
    files = [path for folder in ("crawler", "zhuti") for path in (ROOT / folder).rglob("*.py")]
    foreign = {name for path in files for name in imported(path)} - sys.stdlib_module_names - OWN - LATER
    brought = metadata.packages_distributions()
    declared = BASE.union(*EXTRAS.values())
    undeclared = {name for name in foreign if not names(*brought.get(name, [name])) & declared}
    assert undeclared == {"zope", "markupsafe"}, "which are part of what Twisted and Jinja offer"
