"""What answers cost a running crawl: its pages a second with somebody who answers all the time, and without.

    python -m lab.benchmarks.label_cost WEB [--aliases FILE] [--pages 1500] [--rounds 3] [--every 5]

Every so many seconds a kept page gets an answer, yes and no in turns. The two crawls run in turn; the ratio of each
round is what to quote.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from itertools import cycle
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.schema import judgements, pages, topics
from crawler.errors import StoreError
from crawler.labels.labels import Answer, Label, add, every
from crawler.records import Outcome
from lab.benchmarks.replayed import home_pages, in_turns, is_page, replaying, served
from lab.benchmarks.throughput import command

TOPIC = "machine-learning"


def crawl(args: argparse.Namespace, folder: Path, answered: bool) -> tuple[float, int]:
    """Pages a second, and how many answers there were."""
    seeds, log, store = folder / "seeds.txt", folder / "served.log", folder / "harvest.db"
    seeds.write_text("\n".join(home_pages(args.web)), encoding="utf-8")
    answers, given = cycle([Answer.YES, Answer.NO]), 0
    with replaying(args.web, log, args.aliases) as environment:
        running = subprocess.Popen(
            command("zhuti", seeds, args.pages, TOPIC, store),
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while True:
            try:
                running.wait(args.every)
                break
            except subprocess.TimeoutExpired:
                given += answered and answer(f"sqlite:///{store}", next(answers))
    times = [row.at for row in served(log) if is_page(row)]
    return (len(times) - 1) / (times[-1] - times[0]), given


def answer(url: str, said: Answer) -> bool:
    """About a kept page that nobody has answered about. False where there is none yet."""
    try:
        with Database(url, beside=True) as database, database.transaction() as connection:
            topic_id = connection.execute(select(topics.c.id)).scalar_one()
            known = {label.url for label in every(connection, topic_id)}
            kept = select(pages.c.url).join(judgements, judgements.c.page_id == pages.c.id)
            kept = kept.where(judgements.c.outcome == Outcome.KEPT.value)
            new = [page for page in connection.execute(kept).scalars() if page not in known]
            add(connection, topic_id, [Label(page, said, wall_time()) for page in new[:1]])
            return bool(new)
    except (StoreError, SQLAlchemyError):  # the crawl has not made it yet
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("web", type=Path, help="a folder HOST/path/...")
    parser.add_argument("--aliases", type=Path)
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two answers")
    args = parser.parse_args()

    def one(beside: bool) -> tuple[float, int]:
        with tempfile.TemporaryDirectory() as folder:
            return crawl(args, Path(folder), beside)

    in_turns(args.rounds, one, "answers")


if __name__ == "__main__":
    main()
