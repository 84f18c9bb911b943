"""What the export of a large harvest costs: seconds, bytes and the most memory that `zhuti export` ever holds.

    python -m lab.benchmarks.export [--pages 1000000] [--words 100] [--endings .jsonl.zst .parquet] [--folder DIR]

The pages are made up (synthetic.py), some `words` words each; the export runs in a process of its own, as a user starts
it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

from lab.benchmarks.replayed import SCRAPY
from lab.benchmarks.synthetic import TOPIC, make


def export(store: str, target: Path) -> tuple[float, float]:
    """The seconds that the export takes, and the most memory that its process holds, in MB."""
    started = time.perf_counter()
    process = subprocess.Popen([*SCRAPY, "export", TOPIC, str(target), "-s", f"STORE_URL={store}"])
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the export to {target} failed; see its message above")
    return time.perf_counter() - started, used.ru_maxrss / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=100, help="of a page, on average")
    parser.add_argument("--endings", nargs="*", default=[".jsonl.zst", ".parquet"])
    parser.add_argument("--folder", type=Path, help="where to make the harvest, and to keep it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        harvest = (options.folder or Path(temporary)) / f"export-{options.pages}-{options.words}.db"
        store = f"sqlite:///{harvest}"
        if not harvest.exists():
            size = make(store, options.pages, options.words)
            print(
                f"{options.pages:,} pages, {size / 1e6:,.0f} MB of text, {harvest.stat().st_size / 1e6:,.0f} MB stored"
            )
        for ending in options.endings:
            target = Path(temporary) / f"corpus{ending}"
            seconds, peak = export(store, target)
            print(
                f"{ending}: {seconds:.0f} s, {options.pages / seconds:,.0f} pages/s,"
                f" {target.stat().st_size / 1e6:,.0f} MB, peak RSS {peak:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
