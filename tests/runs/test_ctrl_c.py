"""Ctrl-C in a terminal while `zhuti harvest` starts its runs, which are in the terminal's group until they begin."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crawler.bundled import TOPICS
from tests.warm import PATIENCE

CHILDREN = 2  # multiprocessing's tracker, and what it starts for the runs


@pytest.mark.parametrize("names", [("one",), ("one", "two")], ids=["anew", "forks"])
def test_ctrl_c_while_runs_start(names: tuple[str, ...], tmp_path: Path) -> None:
    java = (TOPICS / "java.toml").read_text(encoding="utf-8")
    for name in names:
        text = f'seeds = ["http://127.0.0.1:9/"]\n{java}\n[schedule]\nevery = "1d"\n'
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    options = [f"TOPICS_DIR={tmp_path}", f"STORE_URL=sqlite:///{tmp_path}/h.db", f"REPORTS_DIR={tmp_path}/reports"]
    command = [sys.executable, "-m", "crawler.main", "harvest", *(part for one in options for part in ("-s", one))]
    output = tmp_path / "output.txt"
    with output.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, check=False).stdout.split()
        if len(found) >= CHILDREN:
            break
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    status = process.wait(PATIENCE)
    assert "Traceback" not in output.read_text(encoding="utf-8")
    assert status == 0
