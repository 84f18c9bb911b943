"""From the wheel to a first corpus, as a new user: python -m lab.benchmarks.first_corpus [--top 12]

Builds the wheel, installs it by pip into a new environment, in the versions of requirements.lock, and makes a corpus of
the demo web in another folder by three commands. Prints what the environment weighs and how long each step took; the
download is part of the installation.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from lab.demo import ROOT
from lab.replay.background import serve_in_thread
from zhuti.demo.demo import BUDGET, TOPIC
from zhuti.demo.web.build import build

MIB = 1 << 20
DEMO = ("-s", f"PAGE_BUDGET={BUDGET}", "-s", "DOWNLOAD_DELAY=0", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8")


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def sizes(paths: Iterator[Path]) -> tuple[float, float, float]:
    """MB (2**20 bytes) on disk, as `du` counts them; in the files; and in those of them that are not bytecode."""
    found = [(path.stat(), path.suffix == ".pyc") for path in paths]
    disk = sum(stat.st_blocks * 512 for stat, _ in found)
    plain = sum(stat.st_size for stat, compiled in found if not compiled)
    return disk / MIB, sum(stat.st_size for stat, _ in found) / MIB, plain / MIB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", type=int, default=12, metavar="N", help="how many packages to print")
    top = parser.parse_args().top
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        timed("the wheel is built", [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", name, str(ROOT)])
        (wheel,) = home.glob("*.whl")
        timed("a new environment", [sys.executable, "-m", "venv", str(home / "venv")])
        packages = next((home / "venv").glob("lib/*/site-packages"))
        before = sizes(files(packages))
        lock = str(ROOT / "requirements.lock")
        timed("pip install", [str(home / "venv" / "bin" / "pip"), "install", "-q", "-c", lock, str(wheel)])
        first_corpus(home)
        weigh(packages, before, top)


def first_corpus(home: Path) -> None:
    zhuti = str(home / "venv" / "bin" / "zhuti")
    build(home / "web")
    seeds = ROOT / "zhuti" / "demo" / "seeds.txt"
    with serve_in_thread(home / "web") as replay:
        proxied = {"http_proxy": replay.proxy, "https_proxy": replay.proxy, "no_proxy": ""}
        timed("zhuti init", [zhuti, "init", "mine"], home)
        crawl = [zhuti, "crawl", "topic", "-a", f"topic={TOPIC}", "-a", f"seeds={seeds}", *DEMO]
        timed(f"zhuti crawl, {BUDGET} pages", crawl, home / "mine", proxied)
        timed("zhuti export", [zhuti, "export", TOPIC, "corpus.jsonl"], home / "mine")
    lines = (home / "mine" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    print(f"{len(lines)} pages in the corpus\n")


def timed(step: str, command: list[str], folder: Path | None = None, more: dict[str, str] | None = None) -> None:
    """Ends the program with what the command has printed when it fails."""
    begun = time.monotonic()
    environment = {**os.environ, **(more or {})}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{step} failed:\n{done.stdout}\n{done.stderr}")
    print(f"{time.monotonic() - begun:6.1f} s  {step}", flush=True)


def weigh(packages: Path, before: tuple[float, float, float], top: int) -> None:
    total = [now - then for now, then in zip(sizes(files(packages)), before, strict=True)]
    print("MB (2**20): on disk by du, in files, in files without bytecode")
    print("{:6.0f} {:6.0f} {:6.0f}  all that pip has installed".format(*total))
    folders: defaultdict[str, list[Path]] = defaultdict(list)
    for path in files(packages):
        folders[path.relative_to(packages).parts[0].removesuffix(".libs")].append(path)
    weighed = {name: sizes(iter(paths)) for name, paths in folders.items() if name not in ("pip", "setuptools")}
    for name, measures in sorted(weighed.items(), key=lambda item: -item[1][0])[:top]:
        print("{:6.0f} {:6.0f} {:6.0f}".format(*measures), name)


if __name__ == "__main__":
    main()
