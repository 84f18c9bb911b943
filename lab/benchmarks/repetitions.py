"""Near-duplicates among many pages: time and memory of `zhuti.lake.duplicates`, on signatures that are made up.

    python -m lab.benchmarks.repetitions [--pages 10000000] [--folder DIR] [--real PAGES_DIR]

Three pages in ten copy an earlier one, with resemblances evenly spread over [0, 1]; one in a hundred copies the same
page: a site whose pages are mostly alike. The lake has address, time, digest and signature, no bodies. Printed are the
seconds of each stage, the greatest memory of this process, and how many of the copies above and below the threshold
were found. With --real the bodies of HTML pages are compared by their signatures, and by all their shingles.
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
from scipy.sparse import csr_matrix

from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.text.charset import decode
from crawler.reader.text.minhash import VALUES, shingles, signature
from crawler.store.duplicates import NEAR
from zhuti.corpus.duplicates import duplicates
from zhuti.corpus.repetitions import repetitions

PER_FILE = 500_000
COPIES, OF_ONE = 0.3, 0.01  # shares
ERROR = 0.1  # two sigma of a resemblance that signatures tell


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
    """Real bodies: what is found by bands of signatures, and what truly has that much in common."""
    best, sets, signatures = extractor("best"), [], []
    for path in sorted(folder.rglob("*.html")):
        body = best(Page(decode(path.read_bytes())[0], f"http://{path.name}")).body
        if signed := signature(body):
            sets.append(np.unique(shingles(body)))
            signatures.append(signed)
    rows = np.frombuffer(b"".join(signatures), np.uint8).reshape(-1, VALUES)
    found = {later: earlier for later, earlier, _ in repetitions(rows, NEAR)}
    same = resemblances(sets)
    true: set[int] = set()
    for later in range(len(sets)):
        near = same.indices[same.indptr[later] : same.indptr[later + 1]][same[later].data >= NEAR]
        if any(earlier < later and earlier not in true for earlier in near):
            true.add(later)
    right = sum(same[later, earlier] >= NEAR for later, earlier in found.items())
    nearly = sum(same[later, earlier] >= NEAR - ERROR for later, earlier in found.items())
    print(
        f"{len(sets):,} pages: {len(true):,} repeat an earlier one; found {len(found):,}, {len(true & set(found)):,}"
        f" of these; of the pairs found {right:,} have {NEAR} in common, {nearly:,} {NEAR - ERROR:.1f}"
    )


def resemblances(sets: list[np.ndarray]) -> csr_matrix:
    """Of all pairs of pages, Jaccard's index of their shingles."""
    sizes = np.array([len(one) for one in sets])
    _, columns = np.unique(np.concatenate(sets), return_inverse=True)
    pages = csr_matrix((np.ones(len(columns), np.float32), columns, np.concatenate([[0], np.cumsum(sizes)])))
    common = (pages @ pages.T).tocoo()
    share = common.data / (sizes[common.row] + sizes[common.col] - common.data)
    return csr_matrix((share, (common.row, common.col)), common.shape)


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
