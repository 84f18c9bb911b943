"""What the steps of `zhuti.steps` cost over an archive: pages a second of one core's processor time.

    python -m lab.benchmarks.steps WARC_DIR [--topics machine-learning] [--limit 2000] [--prefilter]

WARC_DIR: WARC files of any crawler. The pipeline reads, extracts, judges, counts and writes Parquet, in this
process and without an executor. Each step's share is its own, the reader's with unpacking. datatrove's own statistics
know wall time alone, which is too long on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

from datatrove.data import Document
from loguru import logger

from zhuti.steps import Counts, Extract, Judge, Language, PersonalData, Prefilter, Quality, Warc, parquet


class Timed:
    """Documents of a step, and the processor time that it and all before it took."""

    def __init__(self, documents: Iterator[Document]) -> None:
        self._documents = iter(documents)
        self.seconds = 0.0
        self.number = 0

    def __iter__(self) -> Iterator[Document]:
        return self

    def __next__(self) -> Document:
        start = time.process_time()
        try:
            document = next(self._documents)
        finally:
            self.seconds += time.process_time() - start
        self.number += 1
        return document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--topics", default="machine-learning")
    parser.add_argument("--limit", type=int, default=2000)
    parser.add_argument("--prefilter", action="store_true", help="before the extraction, as for an archive of the Web")
    options = parser.parse_args()
    topics = options.topics.split(",")
    logger.remove()
    with TemporaryDirectory() as out:
        judge = Judge(topics, everything=not options.prefilter)
        steps: list[Any] = [Warc(options.folder, limit=options.limit)]
        steps += [Prefilter(topics)] if options.prefilter else []
        steps += [Extract(), judge, PersonalData(), Counts()]
        steps += [Language("zh", "en", unknown=True), Quality(ended_lines=0), parquet(out)]
        warm = Document(text="渡口的船，天亮之前不开。", id="http://a.example/")
        judge.look(warm)  # dictionaries
        began, stages, data = time.perf_counter(), [], None
        for step in steps:
            data = Timed(step.run(data))
            stages.append((step.name, data))
        for _ in stages[-1][1]:
            pass
        wall = time.perf_counter() - began
    pages, before = stages[0][1].number, 0.0
    for name, stage in stages:
        print(f"{name:<14}{(stage.seconds - before) / pages * 1e3:8.2f} ms a page read, {stage.number:,} pages go on")
        before = stage.seconds
    print(f"{pages / before:.0f} pages a second of processor time, {pages / wall:.0f} of wall time")


if __name__ == "__main__":
    main()
