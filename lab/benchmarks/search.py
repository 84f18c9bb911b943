"""How long a search takes, and what its index costs.

    python -m lab.benchmarks.search [--pages 100000] [--words 300]
    python -m lab.benchmarks.search --store postgresql+psycopg://user:password@host/empty

--store takes an empty database, or one that this has filled before; without it, SQLite.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sqlalchemy import func, select

from crawler.database.database import Database
from crawler.database.schema import topics
from lab.benchmarks.synthetic import TOPIC, make, vocabulary
from zhuti.search.beside import open_index
from zhuti.search.query import search, update

ROUNDS = 5


def queries() -> dict[str, str]:
    """Queries, named by the rank of their words in the vocabulary: word 10 is in most pages, word 50,000 in few."""
    words = vocabulary()
    return {
        "one rare word": words[50_000],
        "one word": words[2_000],
        "one common word": words[10],
        "two words": f"{words[300]} {words[3_000]}",
        "three common words": f"{words[10]} {words[20]} {words[30]}",
        "two common words, any (no page has all)": f"{words[10]} {words[20]} 无此一词",
        "a phrase": f'"{words[10]}{words[20]}"',
    }


def seconds(job: Callable[[], object]) -> float:
    started = time.perf_counter()
    job()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=300, help="of a page, on average")
    parser.add_argument("--folder", help="where to make the harvest, and to keep it")
    parser.add_argument("--store", metavar="URL", help="a database on PostgreSQL")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        store = options.store or f"sqlite:///{Path(options.folder or temporary) / 'harvest.db'}"
        measure(store, options.pages, options.words)


def is_empty(url: str) -> bool:
    with Database(url) as database, database.transaction() as connection:
        return not connection.execute(select(func.count()).select_from(topics)).scalar_one()


def measure(url: str, count: int, words: int) -> None:
    if is_empty(url):
        print(f"{count:,} pages of some {words} words, {make(url, count, words) / 1e6:.0f} MB of text", flush=True)
    with Database(url, readonly=True) as database:
        index = open_index(url, Path(tempfile.gettempdir()))
        spent, started = time.process_time(), time.perf_counter()
        indexed = update(database, index)
        if indexed:
            spent, waited = time.process_time() - spent, time.perf_counter() - started
            print(f"index made in {waited:.0f} s, {spent / indexed * 1e3:.2f} ms of this process's CPU a page")
        print(f"index {index.size / 1e6:.0f} MB")
        print(f"nothing new: {seconds(lambda: update(database, index)) * 1e3:.1f} ms")
        for name, text in queries().items():
            for topic in (None, TOPIC):
                once = partial(search, database, index, text, topic=topic)
                times = sorted(seconds(once) for _ in range(ROUNDS))
                spent = time.process_time()
                once()
                spent = time.process_time() - spent
                told = (
                    f"median {times[ROUNDS // 2] * 1e3:.1f} ms, worst {times[-1] * 1e3:.1f}, CPU {spent * 1e3:.1f} ms"
                )
                print(f"{name}{' of a topic' if topic else ''}: {told}")
    print(f"peak RSS {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
