"""How many verdicts depend on who judges: python -m lab.benchmarks.one_text WEB LABELS.jsonl [--aliases FILE]
[--map LABEL=TOPIC ...] [--posts 800]

Stores posts drawn from all labelled ones as a crawl of each bundled topic would, in a database of its own. Then judges
them again in each way that there is, and prints how many similarities and verdicts are others than the crawl's. It
should print 0 in each row but the last, which counts posts that are kept and that `zhuti.steps.Prefilter` drops.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from sqlalchemy import select

from crawler.analyse import extract, judge as judged_page, links
from crawler.database.database import Database
from crawler.database.schema import judgements, pages
from crawler.extractors import extractor
from crawler.frontier.frontier import Frontier
from crawler.labels.judge_again import JudgingAgain, put_again, stored_pages, until_done, visit
from crawler.reader.html.page import Page
from crawler.records import Analysis, Visit, similarity_of
from crawler.scorers.registry import scorer
from crawler.store.crawl_store import CrawlStore
from crawler.topic.files import Topic, topic_names
from crawler.topic.judge import Judge
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import POST, Labels
from lab.links.recorded import RecordedWeb
from zhuti import judge as judge_by_library
from zhuti.rejudge.rejudge import judged
from zhuti.steps.extract import Extract
from zhuti.steps.judge import Judge as JudgeStep
from zhuti.steps.prefilter import Prefilter
from zhuti.steps.step import WebPage

BATCH = 200  # pages in a transaction
Verdicts = dict[str, tuple[float, bool]]  # similarity, and whether it reaches the threshold, by URL


def posts(web: RecordedWeb, labels: Labels, number: int) -> Iterator[Page]:
    every = [label.url for label in labels if label.kind == POST]
    for url in Random(7).sample(every, min(number, len(every))):
        reply = web.fetch(url)
        if reply.is_page and not reply.target:
            yield Page(reply.markup, url)


class Harvest:
    """Of one topic, without a network."""

    def __init__(self, database: Database, topic: Topic) -> None:
        self.judge = Judge(topic)
        self._database = database
        self._frontier = Frontier(database, topic.name)
        self._store = CrawlStore(database, self._frontier, scorer("bfs"))

    def put(self, visits: list[Visit]) -> None:
        for n in range(0, len(visits), BATCH):
            put_again(self._database, self._frontier, self._store, {}, visits[n : n + BATCH])

    def crawl(self, found: list[tuple[Page, Analysis]]) -> None:
        visits = []
        for page, analysis in found:
            judgement, outlinks = judged_page(page, analysis, links(page, self.judge.topic), self.judge)
            whole = replace(analysis, judgement=judgement, outlinks=outlinks)
            visits.append(visit(page.url, 1.0, 200, whole, None))
        self.put(visits)

    def answer(self) -> None:
        """As after an answer that changes no weight."""
        until_done(self._database, self._frontier.topic_id, JudgingAgain(self.judge.topic, Judge))

    def rejudge(self) -> None:
        for batch in stored_pages(self._database, self._frontier.topic_id, BATCH):
            self.put([judged(self.judge, page) for page in batch])

    def verdicts(self) -> Verdicts:
        """Of the pages that are stored with a text."""
        query = select(pages.c.url, judgements.c.nearness, judgements.c.on_topic)
        query = query.join(judgements, judgements.c.page_id == pages.c.id).where(pages.c.body.is_not(None))
        with self._database.transaction() as connection:
            return {url: (similarity_of(near), bool(on)) for url, near, on in connection.execute(query)}


def by_library(topic: Topic, page: Page) -> tuple[float, bool]:
    found = judge_by_library(page, topic)
    return found.similarity, found.on_topic


def by_steps(step: JudgeStep, page: Page) -> tuple[float, bool]:
    document = WebPage(page, text="", id=page.url)
    Extract().look(document)
    step.look(document)
    (found,) = document.metadata["judgements"]
    return found["similarity"], found["kept"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_web(parser)
    parser.add_argument("--posts", type=int, default=800)
    args = parser.parse_args()
    labels, best = read_labels(args), extractor("best")
    found = [
        (page, extract(page, best)) for page in posts(RecordedWeb.open(args.web, args.aliases), labels, args.posts)
    ]
    compared, others, verdicts = Counter[str](), Counter[str](), Counter[str]()
    for name in (name for name in topic_names(Path("topics")) if labels.harvest(name)):
        topic = Topic.load(name).learn()
        with TemporaryDirectory() as folder, Database(f"sqlite:///{folder}/harvest.db") as database:
            harvest = Harvest(database, topic)
            harvest.crawl(found)
            crawled = harvest.verdicts()
            harvest.answer()
            ways = {"an answer": harvest.verdicts()}
            harvest.rejudge()
            ways["rejudge"] = harvest.verdicts()
        stored = [page for page, _ in found if page.url in crawled]
        step, before = JudgeStep([topic], everything=True), Prefilter([topic])
        ways["zhuti.judge"] = {page.url: by_library(topic, page) for page in stored}
        ways["steps"] = {page.url: by_steps(step, page) for page in stored}
        for way, said in ways.items():
            compared[way] += len(crawled)
            others[way] += sum(said[url][0] != crawled[url][0] for url in crawled)
            verdicts[way] += sum(said[url][1] != crawled[url][1] for url in crawled)
        kept = [page for page in stored if crawled[page.url][1]]
        compared["Prefilter"] += len(kept)
        verdicts["Prefilter"] += sum(not before.look(WebPage(page, text="", id=page.url)) for page in kept)
    for way, number in compared.items():
        print(f"{way:<12} {number} pages, {others[way]} similarities differ, {verdicts[way]} verdicts")


if __name__ == "__main__":
    main()
