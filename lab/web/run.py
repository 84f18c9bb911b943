"""Harvest rate and recall of real crawls of a recorded, labelled web, counted from the server's log, by any crawler.

    python -m lab.web run WEB LABELS.jsonl [--aliases FILE] [--map algo=algorithms ...] [--crawlers zhuti tf-idf ...]
                          [--pages 250 500 1000] [--draws 3] [--topics ...] [--posts [--homes]] [--words N]
                          [--answers N] [--search FILE] [--hide-index SHARE] [--no-tag-pages] [--delay S]
                          [--set NAME=VALUE ...] [--logs DIR]

WEB may be a folder that `python -m lab.web build` made; then LABELS is left out. A crawler is `zhuti`, the name of one
of its link scorers, one of lab/web/rivals.py, or a command line with {seeds}, {words} and {pages} in it: two files with
a line each, and the budget. It finds the web behind http_proxy.

Each crawl asks one request a host at a time, without a delay but for --delay, from the home page of every host, in
another order for each draw; with --posts from five posts of five hosts alone, from which zhuti learns the topic, as
people type it (with --homes all home pages are further seeds). The words are the keywords of the topic's file; with
--words N the first N, and zhuti has these in place of its file. The posts are drawn from those that the file holds for
clearly on topic. --answers N: zhuti stops after every 100 pages, and answers are given by the labels about the pages
that `zhuti label` would ask about, first 20, then 10 at a time.
Harvest rate at n: on-topic posts among the first n HTML pages served with status 200, in the order in which they were
really fetched, / n. Recall: on-topic posts among them / all on-topic posts of the labels. Requests a page: all that the
server was asked for, / pages; seconds: from the first request to the last. Each budget is a crawl of its own.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sqlalchemy import select

from crawler.analyse import describe
from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.schema import topics
from crawler.labels.labels import Answer, Label, add, every
from crawler.labels.ranked import FIRST
from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from crawler.reader.html.urls import host
from crawler.topic.files import THETA_PAGE, Topic, topic_names
from crawler.topic.judge import Judge
from lab.benchmarks.replayed import SCRAPY, Served, add_web, home_pages, is_page, read_labels, replaying, served
from lab.benchmarks.topics_from_seeds import CLEAR
from lab.links.compare import TAG
from lab.links.labels import Labels
from lab.links.metrics import mean_of
from lab.links.recorded import RecordedWeb
from lab.web.rivals import SPIDERS
from zhuti.label.questions import ROUND, candidates, questions

FEW = 5  # seeds, each of another host
EVERY = 100  # pages between two rounds of questions
ZHUTI = "zhuti"


@dataclass(frozen=True, slots=True)
class Task:
    """One crawl."""

    crawler: str
    topic: str
    pages: int
    draw: int

    @property
    def scorer(self) -> str | None:
        """Of zhuti; None for another crawler."""
        return None if self.crawler in SPIDERS or " " in self.crawler else self.crawler


def five_posts(topic: Topic, labels: Labels, web: RecordedWeb, draw: int) -> list[str]:
    """Of five hosts, drawn by chance."""
    judge, found = Judge(topic.learn()), dict[str, str]()
    posts = [label for label in labels if label.is_harvest(topic.name)]
    for label in Random(f"{topic.name} {draw}" if draw else topic.name).sample(posts, len(posts)):
        if host(label.url) not in found and (reply := web.fetch(label.url)).is_page:
            post = describe(Page(reply.markup), best)
            if judge.judge(post.extraction, post.subjects).nearness >= CLEAR:
                found[host(label.url)] = label.url
        if len(found) == FEW:
            break
    return list(found.values())


def command(task: Task, labels: Labels, args: argparse.Namespace, folder: Path) -> list[str]:
    """What to start. Writes seeds.txt, words.txt, and a topic file where one is needed."""
    topic, homes = Topic.load(task.topic), home_pages(args.web)
    homes = Random(task.draw).sample(homes, len(homes)) if task.draw else homes
    posts = five_posts(topic, labels, RecordedWeb.open(args.web, args.aliases), task.draw) if args.posts else []
    some = [*topic.keywords][: args.words or None]
    seeds, words = folder / "seeds.txt", folder / "words.txt"
    seeds.write_text("\n".join([*posts, *(homes if args.homes or not posts else ())]), encoding="utf-8")
    words.write_text("\n".join(some), encoding="utf-8")
    if task.scorer is None and task.crawler not in SPIDERS:
        return shlex.split(task.crawler.format(seeds=seeds, words=words, pages=task.pages))
    if task.scorer is None:
        manners = [str(task.pages), str(args.delay)]
        return [sys.executable, "-m", "lab.web.rivals", task.crawler, str(seeds), str(words), *manners]
    whole = [*SCRAPY, "crawl", "topic", "-s", f"DOWNLOAD_DELAY={args.delay}", "-s", f"TOPICS_DIR={folder}"]
    if not posts and not args.words:
        return [*whole[:-2], "-a", f"topic={task.topic}", "-a", f"seeds={seeds}"]
    if posts and not args.homes:
        return [*whole, "-a", f"seeds={seeds}", *(["-a", f"words={' '.join(some)}"] if args.words else [])]
    file, own = folder / f"{task.topic}.toml", {"pages": posts} if posts else {"keywords": some}
    lines = (f"{key} = {json.dumps(value)}\n" for key, value in (own | {"seeds": [*posts, *homes]}).items())
    file.write_text("".join(lines), encoding="utf-8")
    return [*whole, "-a", f"topic={file}"]


def crawl(task: Task, labels: Labels, args: argparse.Namespace, folder: Path) -> list[Served]:
    """The requests of one crawl in the order in which they were answered."""
    log, url = folder / "served.log", f"sqlite:///{folder / 'harvest.db'}"
    line, budgets, options = command(task, labels, args, folder), [task.pages], list[str]()
    if task.scorer is not None:
        scorer = [f"LINK_SCORER={task.scorer}"] if task.scorer != ZHUTI else []
        options = [
            part for one in (*scorer, f"STORE_URL={url}", "LOG_LEVEL=WARNING", *args.set) for part in ("-s", one)
        ]
        stops = 0 if not args.answers else 1 + max(0, args.answers - FIRST) // ROUND
        budgets = [*(EVERY * number for number in range(1, stops + 1)), task.pages]
    without = folder / "without.txt"
    if args.no_tag_pages:
        without.write_text("\n".join(label.url for label in labels if label.kind == TAG), encoding="utf-8")
    options_of_web = {"search": args.search, "hide_index": args.hide_index}
    replay = replaying(args.web, log, args.aliases, **options_of_web, without=without if args.no_tag_pages else None)
    with replay as environment:
        for budget in budgets:
            limit = ["-s", f"PAGE_BUDGET={budget}"] if task.scorer is not None else []
            # What a rival prints is not read; one that fails still stops the benchmark.
            said = None if task.scorer is not None else subprocess.DEVNULL
            subprocess.run(
                [*line, *options, *limit], env=environment, check=True, stdout=subprocess.DEVNULL, stderr=said
            )
            if budget < task.pages:
                answer(url, task.topic, labels)
    if args.logs:
        name = re.sub(r"[^\w.-]+", "_", Path(task.crawler).name)
        shutil.copy(log, args.logs / f"{task.topic} {task.pages} {task.draw} {name}.log")
    return served(log)


def answer(url: str, topic: str, labels: Labels) -> None:
    """The next round of questions, answered by the labels."""
    with Database(url) as database, database.transaction() as connection:
        ((topic_id,),) = connection.execute(select(topics.c.id)).all()
        asked = questions(candidates(connection, topic_id, THETA_PAGE), THETA_PAGE, len(every(connection, topic_id)))
        said = {one.candidate.url: labels.of(one.candidate.url) for one in asked}
        right = {page: Answer.YES if label and label.is_harvest(topic) else Answer.NO for page, label in said.items()}
        add(connection, topic_id, [Label(page, answer, wall_time()) for page, answer in right.items()])


def harvest(urls: Sequence[str], labels: Labels, topic: str) -> int:
    found = {label.url for url in urls if (label := labels.of(url)) is not None and label.is_harvest(topic)}
    return len(found)


def figures(asked: Sequence[Served], labels: Labels, task: Task) -> list[float]:
    """Harvest rate at half of the budget and at its end, recall, requests a page, and seconds."""
    urls = [row.url for row in asked if is_page(row)]
    half, whole = (harvest(urls[:n], labels, task.topic) for n in (task.pages // 2, task.pages))
    cost = len(asked) / max(1, len(urls)), asked[-1].at - asked[0].at
    return [half / (task.pages // 2), whole / task.pages, whole / labels.harvest(task.topic), *cost]


def row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_web(parser, may_be_built=True)
    parser.add_argument("--crawlers", nargs="*", default=[ZHUTI])
    parser.add_argument("--pages", type=int, nargs="*", default=[1000])
    parser.add_argument("--draws", type=int, default=1, help="orders of the home pages, or samples of posts")
    parser.add_argument("--topics", nargs="*")
    parser.add_argument("--posts", action="store_true", help="start from five posts and learn the topic from them")
    parser.add_argument("--homes", action="store_true", help="with --posts: all home pages are seeds too")
    parser.add_argument("--words", type=int, default=0, help="of the topic's keywords; by default all, and its file")
    parser.add_argument("--answers", type=int, default=0, help="about pages, on the way")
    parser.add_argument("--search", type=Path, metavar="FILE", help="as of `lab replay`: its sites can be searched")
    parser.add_argument("--hide-index", type=float, default=0.0, metavar="SHARE", help="as of `lab replay`: of hosts")
    parser.add_argument("--no-tag-pages", action="store_true", help="the web is to have none")
    parser.add_argument("--delay", type=float, default=0.0, metavar="S", help="seconds between two requests of a host")
    parser.add_argument("--logs", type=Path, metavar="DIR", help="keeps what each crawl asked for, for `teaches`")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="further settings of zhuti")


def run(args: argparse.Namespace) -> None:
    labels = read_labels(args)
    if args.logs:
        args.logs.mkdir(parents=True, exist_ok=True)
    names = args.topics or [name for name in topic_names() if labels.harvest(name)]
    for pages in args.pages:
        print(
            row("crawler", "topic", f"harvest at {pages // 2}", f"at {pages}", "recall", "requests a page", "seconds")
        )
        print("|---|---|---|---|---|---|---|")
        for crawler in args.crawlers:
            columns: list[list[Sequence[float]]] = []  # by topic, then by figure: its draws
            for topic in names:
                draws = []
                for draw in range(args.draws):
                    with tempfile.TemporaryDirectory() as folder:
                        task = Task(crawler, topic, pages, draw)
                        draws.append(figures(crawl(task, labels, args, Path(folder)), labels, task))
                columns.append(list(zip(*draws, strict=True)))
                print(row(crawler, topic, *(mean_of([draws]) for draws in columns[-1])), flush=True)
            print(row(crawler, "mean", *map(mean_of, zip(*columns, strict=True))), flush=True)
