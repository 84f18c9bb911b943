"""How many times faster than trafilatura `best` is, on the same labelled pages in turns.

    pip install '.[peers]'
    OPENBLAS_NUM_THREADS=1 python -m lab.benchmarks.extraction_speed PAGES_DIR [--mixed 200]

All Chinese pages, all English articles, and some of all kinds and languages by a fixed seed. Both start from markup and
give body, title, time and author; each page once by each of them, one right after the other, in one process, by
processor time. The slowest page of `best` is told, too.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from lab.extraction.labelled import LabelledPage, labelled_pages
from lab.extraction.peers import peers

WARM = 10  # pages before the clock starts: models, tables and caches are loaded


def milliseconds(pages: Sequence[LabelledPage]) -> tuple[list[float], list[float]]:
    """The milliseconds that `best` and trafilatura take for each page."""
    trafilatura = peers("trafilatura")["trafilatura"]
    ours, theirs = [], []
    for page in [*pages[:WARM], *pages]:
        markup = page.markup()
        start = time.process_time()
        best(Page(markup, page.url))
        between = time.process_time()
        trafilatura(markup, page.url)
        theirs.append((time.process_time() - between) * 1e3)
        ours.append((between - start) * 1e3)
    return ours[-len(pages) :], theirs[-len(pages) :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mixed", type=int, default=200, help="pages of all kinds and languages")
    options = parser.parse_args()
    pages = labelled_pages(options.folder)
    groups = {
        "Chinese": [page for page in pages if page.language == "zh"],
        "English articles": [page for page in pages if page.language == "en" and page.kind == "article"],
        "mixed": random.Random(1).sample(pages, min(options.mixed, len(pages))),
    }
    for name, chosen in groups.items():
        if not chosen:
            continue
        ours, theirs = milliseconds(chosen)
        own, other = sum(ours) / len(ours), sum(theirs) / len(theirs)
        print(
            f"{name:<18}{len(chosen):5} pages  best {own:6.2f} ms (slowest {max(ours):.0f})"
            f"  trafilatura {other:6.2f} ms  {other / own:5.1f} times"
        )


if __name__ == "__main__":
    main()
