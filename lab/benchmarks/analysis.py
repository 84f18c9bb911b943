"""What the analysis of a page costs, step by step, in milliseconds of processor time.

    python -m lab.benchmarks.analysis PAGES_DIR [--pages 200] [--topic machine-learning] [--beside CHECKOUT]
                                   [--trafilatura]

PAGES_DIR holds HTML pages at any depth; a page's path stands for its address. Those drawn, by a fixed seed, go through
all steps in the crawl's order, three times, and the fastest counts. With --beside another checkout of the project does
the same, in a process of its own: the two take turns page by page, so that a busy machine is busy for both.
--trafilatura adds trafilatura with metadata, from markup, to hold beside `parse` and `best` together.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

TIMES = 3
ENDINGS = frozenset({".html", ".htm", ".shtml"})
Step = Callable[..., Any]


class Clock:
    """Milliseconds spent in each step."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def time(self, name: str, step: Step, *arguments: Any) -> Any:
        start = time.process_time()
        answer = step(*arguments)
        self.spent[name] = (time.process_time() - start) * 1e3
        return answer


def serve(topic_name: str, with_trafilatura: bool) -> None:
    """Answers pages on standard input with what each step took. Imports the checkout that PYTHONPATH names."""
    from crawler.reader.extract.best import best
    from crawler.reader.extract.own_text import own_text
    from crawler.reader.html.links import links
    from crawler.reader.html.page import Page
    from crawler.reader.html.subjects import subjects
    from crawler.reader.text.measures import language
    from crawler.reader.text.minhash import signature
    from crawler.records import Extraction
    from crawler.topic.files import Topic
    from crawler.topic.judge import Judge

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed must not stand between the answers
    topic = Topic.load(topic_name)
    judge = Judge(topic if topic.vector else topic.learn([]))
    other = _trafilatura() if with_trafilatura else None
    while True:
        try:
            markup, url = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        clock = Clock()
        page = Page(markup, url)
        clock.time("parse", lambda page: page.tree, page)
        shown = clock.time("links", links, page)
        found = clock.time("best", best, page)
        text = clock.time("text for the judge", own_text, page, found.title)
        clock.time("language", language, found.body)
        clock.time("signature", signature, found.body)
        tags = clock.time("subjects", subjects, page)
        clock.time("judge", judge.judge, Extraction(found.title, text), tags)
        clock.time("outlinks", judge.outlinks, shown)
        if other:
            clock.time("(trafilatura)", other, markup, url)
        pickle.dump(clock.spent, answers)
        answers.flush()


def _trafilatura() -> Step:
    from lab.extraction.peers import MAKERS

    return MAKERS["trafilatura"]()


def ask(worker: subprocess.Popen[bytes], markup: str, url: str) -> dict[str, float]:
    assert worker.stdin is not None and worker.stdout is not None
    pickle.dump((markup, url), worker.stdin)
    worker.stdin.flush()
    answer: dict[str, float] = pickle.load(worker.stdout)
    return answer


def drawn(folder: Path, number: int) -> list[Path]:
    paths = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())
    if not paths:
        raise SystemExit(f"{folder}: there is no HTML page; name a folder with some")
    random.Random(1).shuffle(paths)
    return paths[:number]


def started(checkout: Path, options: argparse.Namespace) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, "--serve", "--topic", options.topic]
    environment = os.environ | {"PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"}
    command += ["--trafilatura"] * options.trafilatura
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def report(totals: list[Counter[str]], pages: int) -> None:
    for name in totals[0]:
        own, *others = (total[name] / pages for total in totals)
        print(f"{name:<20}{own:8.2f}" + "".join(f"{other:8.2f} {other / own:6.2f}" for other in others))
    for total in totals:
        ours = sum(spent for name, spent in total.items() if name != "(trafilatura)")
        faster = total["(trafilatura)"] / (total["parse"] + total["best"])
        print(f"all {ours / pages:.2f}" + (f", best {faster:.1f} times trafilatura" if faster else ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path())
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--topic", default="machine-learning")
    parser.add_argument("--beside", type=Path, help="another checkout")
    parser.add_argument("--trafilatura", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.topic, options.trafilatura)
    else:
        compare(options)


def compare(options: argparse.Namespace) -> None:
    from crawler.reader.text.charset import decode

    checkouts = [Path(__file__).resolve().parents[2], *([options.beside] if options.beside else [])]
    workers = [started(checkout, options) for checkout in checkouts]
    totals: list[Counter[str]] = [Counter() for _ in workers]
    paths = drawn(options.folder, options.pages)
    for path in paths:
        markup, url = decode(path.read_bytes())[0], f"http://{path.relative_to(options.folder)}"
        spent = [[ask(worker, markup, url) for worker in workers] for _ in range(TIMES)]
        for number, total in enumerate(totals):
            total.update({name: min(each[number][name] for each in spent) for name in spent[0][number]})
    report(totals, len(paths))


if __name__ == "__main__":
    main()
