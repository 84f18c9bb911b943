"""IPageRank by passes over a file: seconds, greatest memory, and beside it that of the graph in memory.

    python -m lab.benchmarks.ranks [--pages 10000000] [--links 100000000] [--in-memory]

Links are made up: a few pages have most links, half of the pages are the closed set.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from crawler.rank.graph import sparse
from crawler.rank.pagerank import shares, step
from zhuti.corpus.passes import CHUNK, LinkFile


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000_000)
    parser.add_argument("--links", type=int, default=100_000_000)
    parser.add_argument("--in-memory", action="store_true", help="also rank by a matrix, as a crawl does")
    options = parser.parse_args()
    random, parts = np.random.default_rng(1), []
    initial = np.where(random.random(options.pages) < 0.5, random.random(options.pages), np.nan)
    with TemporaryDirectory() as folder:
        file = LinkFile(Path(folder) / "links", options.pages)
        for start in range(0, options.links, CHUNK):
            size = min(CHUNK, options.links - start)
            part = (
                random.zipf(1.3, size) % options.pages,
                random.integers(options.pages, size=size),
                random.random(size),
            )
            file.append(*part)
            if options.in_memory:
                parts.append(part)
        began = time.perf_counter()
        file.ipagerank(initial.copy())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{options.pages:,} pages, {options.links:,} links: {time.perf_counter() - began:.0f} s by passes")
        print(f"greatest memory {peak:.2f} GB, with what is mapped of the file")
    if options.in_memory:
        began = time.perf_counter()
        sources, targets, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        handed, closed = shares(sparse(options.pages, targets, sources, weights)), ~np.isnan(initial)
        values = np.nan_to_num(initial)
        for _ in range(6):
            values = np.where(closed, step(handed, values), 0.0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{time.perf_counter() - began:.0f} s and {peak:.2f} GB in memory")


if __name__ == "__main__":
    main()
