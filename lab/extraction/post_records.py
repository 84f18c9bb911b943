"""How many posts of threads are told with the right author and day, on labelled pages whose label shows both.

    python -m lab.extraction.post_records DIR...

Some labels of threads keep the line of who wrote when over each post: a line with a date and little else, the name in
it or in the short line above. Of these lines it is printed for each page how many are told by a post, with the day and
with the author, and last the shares over all.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crawler.reader.extract.best import best
from crawler.reader.extract.post_records import DAY
from crawler.reader.extract.time_candidates import parse_times
from crawler.reader.html.page import Page
from crawler.records import Post
from lab.extraction.labelled import THREADS, LabelledPage, labelled_pages

MAX_LINE = 60  # characters of a line that tells who wrote when
MAX_REST = 12  # of what it says beside name and date
MAX_NAME = 30
MIN_BYLINES = 2  # on a page; one may be the thread's

NO_NAME = re.compile(
    r"\W*(?:mon|tue|wed|thu|fri|sat|sun|posted|asked|answered|on|at|\d[\d:]*\s?[ap]m)\w*\W*(?:on)?\W*", re.I
)
NO_BYLINE = re.compile(r"\W*(?:edited|modified|last|started|joined)", re.I)  # tells of something else

Byline = tuple[str, str]  # author and day


def bylines(body: str) -> Iterator[Byline]:
    """Yields who wrote when, as the lines of a label say."""
    lines = [line.strip() for line in body.split("\n") if line.strip()]
    for before, line in zip(["", *lines], lines, strict=False):
        times = parse_times(line, compact=False) if len(line) <= MAX_LINE else []
        if not times or NO_BYLINE.match(line):
            continue
        told = line[: times[0][2]]
        name = "" if NO_NAME.fullmatch(told) else told.partition(" (")[0].strip(" ,·•|»-:()")
        if len(line) - times[0][3] <= MAX_REST and len(name or before) <= MAX_NAME:
            yield name or before.partition(" (")[0], times[0][0].isoformat()


def told(truth: list[Byline], posts: tuple[Post, ...]) -> Counter[str]:
    """Counts the labelled lines, and those that a post tells. A post tells one line at most."""
    found = [((post.author or "").casefold(), (post.published or "")[:DAY]) for post in posts]
    days, names = Counter(day for _, day in found), Counter(name for name, _ in found if name)
    return Counter(
        posts=len(truth),
        day=(Counter(day for _, day in truth) & days).total(),
        author=(Counter(name.casefold() for name, _ in truth) & names).total(),
        both=(Counter((name.casefold(), day) for name, day in truth) & Counter(found)).total(),
    )


def measured(label: LabelledPage) -> Counter[str]:
    truth = list(bylines(label.body or ""))
    return told(truth, best(Page(label.markup(), label.url)).posts) if len(truth) >= MIN_BYLINES else Counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    total: Counter[str] = Counter()
    for label in labelled_pages(*parser.parse_args().folders):
        if label.kind in THREADS and (counts := measured(label)):
            print(label.id, *(f"{name} {number}" for name, number in counts.items()))
            total += counts + Counter(pages=1)
    shares = (f"{name} {total[name] / total['posts']:.3f}" for name in ("day", "author", "both"))
    print(f"{total['pages']} pages, {total['posts']} posts:", *shares)


if __name__ == "__main__":
    main()
