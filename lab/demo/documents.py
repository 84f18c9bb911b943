"""Runs the examples of documents on the demo web, and writes what they print into them: python -m lab.demo.documents
docs/tutorial.md ...

In a document, a block ```console holds commands after "$ " and their output, which is replaced. A block whose first
line has title="FILE" is written to that file before the next command runs. Each document runs in a new folder, and
its Chinese version (docs/zh/, *.zh-CN.md) with ZHUTI_LANG=zh. Pages come from the demo web, through a proxy.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.demo import ROOT, WEB
from lab.replay.background import serve_in_thread
from zhuti.demo.demo import unpack

BLOCK = re.compile(r"^```(?P<kind>\w+)(?P<rest>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
HOME = "/home/me"  # shown in place of the temporary folder
COLUMNS = "100"  # of the terminal that is shown


class Shell:
    """Runs one command after another, in the folder in which the last one ended."""

    def __init__(self, home: Path, proxy: str, language: str) -> None:
        self.home = self.folder = home
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        shown = {"COLUMNS": COLUMNS, "LANG": "C.UTF-8", "ZHUTI_LANG": language, "TERM": "dumb", "PYTHONPATH": str(ROOT)}
        self._environment = {**os.environ, "PATH": path, "http_proxy": proxy, "https_proxy": proxy, **shown}

    def run(self, command: str) -> str:
        """What the command prints, without blanks at the ends of lines."""
        print(f"$ {command}", flush=True)
        ended = self.home / ".folder"
        done = subprocess.run(
            ["bash", "-c", f"{command}\npwd > {ended}"],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.folder = Path(ended.read_text(encoding="utf-8").strip())
        return "".join(f"{at_home(line, self.home).rstrip()}\n" for line in done.stdout.splitlines())


def at_home(line: str, folder: Path) -> str:
    """The line as if `folder` were HOME; the frame of a table stays where it is."""
    shown = line.replace(str(folder), HOME)
    return shown[:-1] + " " * (len(line) - len(shown)) + "│" if line.endswith("│") else shown


def retold(text: str, shell: Shell) -> str:
    """The document with the output of today."""

    def block(found: re.Match[str]) -> str:
        if title := TITLE.search(found["rest"]):
            target = shell.folder / title[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(found["text"], encoding="utf-8")
        if found["kind"] != "console":
            return found[0]
        commands = [line for line in found["text"].splitlines() if line.startswith("$ ")]
        return f"```console{found['rest']}\n" + "".join(f"{each}\n{shell.run(each[2:])}" for each in commands) + "```"

    return BLOCK.sub(block, text)


def main(documents: list[str]) -> None:
    unpack(WEB)
    for name in documents:
        document = Path(name)
        language = "zh" if ".zh" in document.name or "zh" in document.parts else "en"
        with tempfile.TemporaryDirectory() as home, serve_in_thread(WEB) as replay:
            shell = Shell(Path(home).resolve(), replay.proxy, language)
            document.write_text(retold(document.read_text(encoding="utf-8"), shell), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
