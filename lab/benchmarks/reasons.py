"""How long it takes to tell why fifty pages were dropped, in Chinese, and to read the reasons of an older harvest.

.venv/bin/python -m lab.benchmarks.reasons
"""

from __future__ import annotations

from time import process_time

from crawler.database.former_reasons import reason_in
from crawler.messages import speaking
from crawler.reasons import Code, Reason, clause, read, stored

PAGES = 50  # dropped pages on a page of the board
ROWS = 10_000  # of an older harvest, each with another sentence
TIMES = 7  # the quickest of so many counts


def main() -> None:
    rows = [stored(Reason(Code.SIMILARITY, similarity=n / 1000, threshold=0.3)) for n in range(PAGES)]
    sentences = [f"similarity {n / ROWS:.3f} is below the threshold {n}" for n in range(ROWS)]
    telling, reading = [], []
    with speaking("zh"):
        for _ in range(TIMES):
            began = process_time()
            assert all(clause(read(row)) for row in rows)
            telling.append(process_time() - began)
    for _ in range(TIMES):
        began = process_time()
        assert all(stored(reason_in(sentence)) for sentence in sentences)
        reading.append(process_time() - began)
    print(f"{PAGES} reasons told: {1e3 * min(telling):.2f} ms")
    print(f"{ROWS:,} sentences of before read: {min(reading):.2f} s")


if __name__ == "__main__":
    main()
