"""CPU seconds of short commands: python -m lab.benchmarks.startup [--rounds 5]

User and system time of the whole process, beside what Python alone and Scrapy outside a project take. The commands run
in turn; on a noisy machine quote the least.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from crawler.database.database import Database

PROJECT = Path(__file__).parents[2]


def cpu_seconds(arguments: list[str], folder: Path) -> float:
    """Raises CalledProcessError when the command fails."""
    with subprocess.Popen([sys.executable, *arguments], cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        empty = Path(name)
        store = f"sqlite:///{empty / 'harvest.db'}"
        Database(store).close()
        commands: dict[str, tuple[list[str], Path]] = {
            "python -c pass": (["-c", "pass"], empty),
            "scrapy --help, no project": (["-m", "scrapy", "--help"], empty),
            "scrapy --help": (["-m", "scrapy", "--help"], PROJECT),
            "zhuti crawl --help": (["-m", "scrapy", "crawl", "--help"], PROJECT),
            "zhuti store stats": (["-m", "scrapy", "store", "stats", "-s", f"STORE_URL={store}"], PROJECT),
        }
        taken: dict[str, list[float]] = {command: [] for command in commands}
        for _ in range(rounds):
            for command, (arguments, folder) in commands.items():
                taken[command].append(cpu_seconds(arguments, folder))
    print(f"{'':<28}least  median")
    for command, seconds in taken.items():
        print(f"{command:<28}{min(seconds):5.2f}  {statistics.median(seconds):6.2f}")


if __name__ == "__main__":
    main()
