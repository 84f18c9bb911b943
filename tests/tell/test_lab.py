"""The laboratory's commands where the laboratory is not: they say where to get it, and nothing else minds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

COMMANDS = (
    ("evaluate", "extraction", "--pages", "X"),
    ("evaluate", "links", "--web", "X", "--labels", "Y"),
    ("train", "extraction", "--pages", "X"),
    ("replay", "X"),
    ("replay", "X", "--log", "Y"),
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the wheel and a user's project hold, and so without lab/."""
    folder = tmp_path_factory.mktemp("installed")
    for name in ("crawler", "topics", "models"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "scrapy.cfg", folder)
    return folder


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_one_sentence_says_where_to_get_it(installed: Path, arguments: tuple[str, ...]) -> None:
    done = scrapy(installed, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith(f"Error: zhuti {arguments[0]} belongs to the project's laboratory")
    assert "clone of the source repository" in sentence


def test_help_names_them_all_the_same(installed: Path) -> None:
    done = scrapy(installed, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"  {name} " in done.stdout for name in ("crawl", "evaluate", "train", "replay"))


@pytest.mark.parametrize("with_lab", [False, True])
def test_their_own_help(installed: Path, with_lab: bool) -> None:
    done = scrapy(ROOT if with_lab else installed, "evaluate", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Measure the extractors" in done.stdout
    assert ("--pages DIR" in done.stdout) is with_lab


def test_they_work_where_it_is(tmp_path: Path) -> None:
    done = scrapy(ROOT, "evaluate", "extraction", "--pages", str(tmp_path / "none"), "-s", "EXTRACTOR=nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'nonsense'" in done.stderr, "the settings of the command line are the command's"
