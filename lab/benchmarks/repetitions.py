"""Near-duplicates among many pages: time and memory of `zhuti.lake.duplicates`, on signatures that are made up.

    python -m lab.benchmarks.repetitions [--pages 10000000] [--folder DIR] [--real PAGES_DIR]

Three pages in ten copy an earlier one, with resemblances evenly spread over [0, 1]; one in a hundred copies the same
page: a site whose pages are mostly alike. The lake has address, time, digest and signature, no bodies. Printed are the
seconds of each stage, the greatest memory of this process, and how many of the copies above and below the threshold
were found. With --real the bodies of HTML pages are signed and compared, all with all and by bands.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow
from pyarrow import parquet

from crawler.extract.registry import extractor
from crawler.html.page import Page
from crawler.store.duplicates import NEAR
from crawler.store.lake.duplicates import duplicates
from crawler.text.charset import decode
from crawler.text.minhash import VALUES, signature
from crawler.text.repetitions import repetitions

PER_FILE = 500_000
COPIES, OF_ONE = 0.3, 0.01  # shares


def make(folder: Path, pages: int) -> np.ndarray:
    """Writes a lake. Returns the share of values that each page has of another, 0 of none."""
    random = np.random.default_rng(1)
    shares = np.zeros(pages)
    before = np.empty((0, VALUES), np.uint8)
    for start in range(0, pages, PER_FILE):
        size = min(PER_FILE, pages - start)
        rows = random.integers(0, 256, (size, VALUES), np.uint8)
        copies = np.flatnonzero(random.random(size) < COPIES) if start else np.empty(0, np.int64)
        shares[start + copies] = random.random(len(copies))
        kept = random.random((len(copies), VALUES)) < shares[start + copies][:, None]
        source = before[random.integers(len(before) or 1, size=len(copies))]
        if start:
            source[random.random(len(copies)) < OF_ONE / COPIES] = before[0]
            rows[copies] = np.where(kept, source, rows[copies])
        before = rows[np.setdiff1d(np.arange(size), copies)]  # originals alone are copied
        numbers = np.arange(start, start + size)
        table = {
            "url": [f"https://host{number % 9973}.example/{number}" for number in numbers],
            "fetched_at": numbers.astype(float),
            "signature": pyarrow.array([row.tobytes() for row in rows], pyarrow.binary()),
            "digest": pyarrow.array([number.tobytes() * 2 for number in numbers], pyarrow.binary()),
        }
        parquet.write_table(pyarrow.table(table), folder / f"{start:012}.parquet")
    return shares


def made(pages: int, folder: Path) -> None:
    lake, out = folder / "lake", folder / "found.parquet"
    lake.mkdir()
    shares = make(lake, pages)
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    number = duplicates(str(lake), out)
    print(f"{pages:,} pages: {number:,} repeat an earlier one, {time.perf_counter() - began:.0f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"greatest memory {peak / 1e6:.2f} GB, with the signatures mapped; {before / 1e6:.2f} before it began")
    told = {int(url.rpartition("/")[2]) for url in parquet.read_table(out)["url"].to_pylist()}
    found = np.zeros(pages, bool)
    found[list(told)] = True
    for low, high in ((0.0, 0.4), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 1.01)):
        there = (shares > low) & (shares < high)
        print(f"copies that share {low} to {high}: {found[there].mean():.4f} found of {there.sum():,}")


def real(folder: Path) -> None:
    """Signatures of real bodies: how much the bands miss."""
    best, bodies = extractor("best"), []
    for path in sorted(folder.rglob("*.html")):
        page = Page(decode(path.read_bytes())[0], f"http://{path.name}")
        bodies.append(signature(best(page).body))
    rows = np.frombuffer(b"".join(filter(None, bodies)), np.uint8).reshape(-1, VALUES)
    found = {later for later, _, _ in repetitions(rows, NEAR)}
    kept: list[int] = []
    every = set()
    for later in range(len(rows)):
        same = (rows[kept] == rows[later]).mean(axis=1) if kept else np.empty(0)
        if len(same) and (same.max() - 1 / 256) / (1 - 1 / 256) >= NEAR:
            every.add(later)
        else:
            kept.append(later)
    print(f"{len(rows):,} pages: {len(every):,} repeat an earlier one")
    print(f"by bands {len(found):,}, {len(every & found):,} of them among those")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000_000)
    parser.add_argument("--folder", help="where the lake is made for the time being")
    parser.add_argument("--real", type=Path)
    options = parser.parse_args()
    if options.real:
        real(options.real)
        return
    with TemporaryDirectory(dir=options.folder) as folder:
        made(options.pages, Path(folder))


if __name__ == "__main__":
    main()
