"""Harvest rate and recall of real crawls of a recorded, labelled web, counted from the server's log.

    python -m lab.benchmarks.harvest WEB LABELS.jsonl [--aliases FILE] [--map algo=algorithms ...]
                                 [--scorers bfs ipagerank-rwb] [--pages 1000] [--topics ...] [--posts [--homes]]
                                 [--words N] [--answers N] [--search FILE] [--hide-index SHARE]
                                 [--set NAME=VALUE ...]

Each crawl is `zhuti crawl topic` as a user runs it, one request a host at a time, through `lab replay`, but without a
delay (--set DOWNLOAD_DELAY=.3), with the home page of every host as seed; with --posts from five posts of five hosts
alone, from which the topic is learned, as people type it (with --homes all home pages are further seeds); with
--words N beside them the first N keywords of the topic's file. The posts are drawn from those that the file holds for
clearly on topic. --answers N: the crawl stops after every 100 pages, and answers are
given by the labels about the pages that `zhuti label` would ask about, first 20, then 10 at a time.
Harvest rate at n: on-topic posts among the first n HTML pages served with status 200, in the order in which they were
really fetched, / n. Recall: on-topic posts among them / all on-topic posts of the labels. Requests a page: all that the
server was asked for, / pages; seconds: from the first request to the last.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import mean

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
from lab.links.labels import Labels
from lab.links.recorded import RecordedWeb
from zhuti.label.questions import ROUND, candidates, questions

FEW = 5  # seeds, each of another host
EVERY = 100  # pages between two rounds of questions


def five_posts(topic: Topic, labels: Labels, web: RecordedWeb) -> list[str]:
    """Of five hosts, drawn by chance."""
    judge, found = Judge(topic.learn()), dict[str, str]()
    posts = [label for label in labels if label.is_harvest(topic.name)]
    for label in Random(topic.name).sample(posts, len(posts)):
        if host(label.url) not in found and (reply := web.fetch(label.url)).is_page:
            post = describe(Page(reply.markup), best)
            if judge.judge(post.extraction, post.subjects).nearness >= CLEAR:
                found[host(label.url)] = label.url
        if len(found) == FEW:
            break
    return list(found.values())


def aims(topic: str, labels: Labels, args: argparse.Namespace, folder: Path) -> list[str]:
    """The arguments of the spider."""
    seeds = folder / "seeds.txt"
    if not args.posts:
        seeds.write_text("\n".join(home_pages(args.web)), encoding="utf-8")
        return ["-a", f"topic={topic}", "-a", f"seeds={seeds}"]
    of_file = Topic.load(topic)
    posts = five_posts(of_file, labels, RecordedWeb.open(args.web, args.aliases))
    seeds.write_text("\n".join(posts), encoding="utf-8")
    if args.homes:
        file, homes = folder / f"{topic}.toml", [*posts, *home_pages(args.web)]
        file.write_text(f"pages = {json.dumps(posts)}\nseeds = {json.dumps(homes)}\n", encoding="utf-8")
        return ["-a", f"topic={file}"]
    words = " ".join([*of_file.keywords][: args.words])
    return ["-a", f"seeds={seeds}", "-s", f"TOPICS_DIR={folder}", *(["-a", f"words={words}"] if words else [])]


def crawl(scorer: str, topic: str, labels: Labels, args: argparse.Namespace, folder: Path) -> list[Served]:
    """The requests of one crawl in the order in which they were answered."""
    log, url = folder / "served.log", f"sqlite:///{folder / 'harvest.db'}"
    command = [*SCRAPY, "crawl", "topic", *aims(topic, labels, args, folder), "-s", "DOWNLOAD_DELAY=0"]
    settings = [f"LINK_SCORER={scorer}", f"STORE_URL={url}", "LOG_LEVEL=WARNING", *args.set]
    options = [part for setting in settings for part in ("-s", setting)]
    stops = 0 if not args.answers else 1 + max(0, args.answers - FIRST) // ROUND
    replay = replaying(args.web, log, args.aliases, search=args.search, hide_index=args.hide_index)
    with replay as environment:
        for budget in [*(EVERY * number for number in range(1, stops + 1)), args.pages]:
            line = [*command, *options, "-s", f"PAGE_BUDGET={budget}"]
            subprocess.run(line, env=environment, check=True, stdout=subprocess.DEVNULL)
            if budget < args.pages:
                answer(url, topic, labels)
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


def figures(asked: Sequence[Served], labels: Labels, topic: str, pages: int) -> list[float]:
    """Harvest rate at half of the budget and at its end, recall at both, requests a page, and seconds."""
    urls = [row.url for row in asked if is_page(row)]
    half, whole = (harvest(urls[:n], labels, topic) for n in (pages // 2, pages))
    on_topic = labels.harvest(topic)
    cost = len(asked) / len(urls), asked[-1].at - asked[0].at
    return [half / (pages // 2), whole / pages, half / on_topic, whole / on_topic, *cost]


def row(*cells: object) -> str:
    return "| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--scorers", nargs="*", default=["bfs", "ipagerank-rwb"])
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--topics", nargs="*")
    parser.add_argument("--posts", action="store_true", help="start from five posts and learn the topic from them")
    parser.add_argument("--homes", action="store_true", help="with --posts: all home pages are seeds too")
    parser.add_argument("--words", type=int, default=0, help="with --posts: keywords beside them")
    parser.add_argument("--answers", type=int, default=0, help="about pages, on the way")
    parser.add_argument("--search", type=Path, metavar="FILE", help="as of `lab replay`: its sites can be searched")
    parser.add_argument("--hide-index", type=float, default=0.0, metavar="SHARE", help="as of `lab replay`: of hosts")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="further settings of the crawl")
    args = parser.parse_args()
    labels = read_labels(args)
    names = args.topics or [name for name in topic_names() if labels.harvest(name)]
    half, whole = args.pages // 2, args.pages
    harvested = (f"harvest at {half}", f"at {whole}", f"recall at {half}", f"at {whole}")
    print(row("scorer", "topic", *harvested, "requests a page", "seconds"))
    print("|---|---|---|---|---|---|---|---|")
    for scorer in args.scorers:
        rows = []
        for topic in names:
            with tempfile.TemporaryDirectory() as folder:
                asked = crawl(scorer, topic, labels, args, Path(folder))
            rows.append(figures(asked, labels, topic, args.pages))
            print(row(scorer, topic, *rows[-1]), flush=True)
        print(row(scorer, "mean", *(mean(column) for column in zip(*rows, strict=True))), flush=True)


if __name__ == "__main__":
    main()
