"""The laboratory's commands, in a checkout alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


def test_their_own_help() -> None:
    done = run("lab", "evaluate", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Measure the extractors" in done.stdout
    assert "--pages DIR" in done.stdout


def test_mistakes(tmp_path: Path) -> None:
    done = run("lab", "evaluate", "extraction", "--pages", str(tmp_path / "none"), "-s", "EXTRACTOR=nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'nonsense'" in done.stderr, "the settings of the command line are the command's"
    done = run("lab", "replay", str(tmp_path / "absent"))
    assert done.returncode == 2
    [told] = done.stderr.splitlines()
    assert str(tmp_path / "absent") in told
