"""What `scrapy rejudge` does: reads pages, analyses them in the pool, hands them to the store in batches."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from scrapy.settings import BaseSettings
from w3lib.encoding import http_content_type_encoding

from crawler.archive.reader import Stored, WarcPages, warc_files
from crawler.crawl.pool import Pool
from crawler.crawl.topic_from_pages import Fetch, FetchError, learn_topic
from crawler.crawl.worker import AnalysisError
from crawler.database.database import Database, existing
from crawler.frontier.frontier import Frontier
from crawler.html.declared import forbidden_by_headers
from crawler.labels.labels import Label, counting, every, state
from crawler.labels.lessons import taught
from crawler.labels.regrade import judged_again, note_grading, overruled
from crawler.messages import N_
from crawler.options import slowest_refresh, waived
from crawler.records import Analysis, Outcome
from crawler.scorers.registry import crawl_scorer
from crawler.store.rejudge import JudgedAgain, Rejudgement, without_text
from crawler.text.minhash import signature
from crawler.topic.files import Topic
from crawler.topic.judge import Judge, page_judge

BATCH = 500  # pages in a transaction, and so in memory

T = TypeVar("T")


@dataclass(slots=True)
class Result:
    outcomes: Counter[Outcome]
    torn: list[str]  # sentences about WARC files that are cut off
    without_text: int = 0  # dropped pages that could not be judged again


async def rejudge(topic: Topic, warc: Path | None, settings: BaseSettings, pool: Pool) -> Result:
    """Raises CrawlerError. What was committed before an error stays; start it again to judge the rest."""
    archive = WarcPages.of(warc_files(warc), slowest_refresh(settings)) if warc else None
    learned = await learn_topic(topic, _fetch_from(archive), pool.describe)
    with (Database if archive else existing)(settings["STORE_URL"]) as database:
        frontier = Frontier(database, topic.name)
        rejudgement = Rejudgement(database, frontier, crawl_scorer(settings["LINK_SCORER"]))
        outcomes: Counter[Outcome] = Counter()
        if learned.precision is not None:  # the threshold comes first
            judged_again(database, frontier.topic_id, learned, page_judge(settings["PAGE_JUDGE"]))
        with database.transaction() as connection:
            learned = taught(connection, frontier.topic_id, learned)
            said = counting(every(connection, frontier.topic_id))
            note_grading(connection, frontier.topic_id, state(connection, frontier.topic_id))
        if archive is None:
            judge = page_judge(settings["PAGE_JUDGE"])(learned)
            for batch in rejudgement.stored_pages(BATCH):
                wanted = [page for page in batch if learned.allows(page.url)]
                outcomes.update(rejudgement.commit([_overruled(_judged(judge, page), said) for page in wanted]))
            with database.transaction(shared=True) as connection:
                return Result(outcomes, [], without_text(connection, frontier.topic_id))
        await pool.take(learned)
        for pages in _batches(page for page in archive if learned.allows(page[0])):
            analysed = await _analysed(pool, pages, waived(settings))
            outcomes.update(rejudgement.commit([_overruled(page, said) for page in analysed]))
        return Result(outcomes, archive.torn)


def _fetch_from(archive: WarcPages | None) -> Fetch:
    """The pages that a topic is learned from, out of the archive."""

    async def fetch(address: str) -> str:
        markup = archive.markup(address) if archive else None
        if markup is None:
            raise FetchError(N_("is in no archive, and rejudge does not fetch"))
        return markup

    return fetch


async def _analysed(pool: Pool, pages: Sequence[tuple[str, Stored]], waived: frozenset[str]) -> list[JudgedAgain]:
    """Without those that cannot be analysed: a crawl would not have kept them either."""
    answers = await asyncio.gather(*(_analysis(pool, *page) for page in pages), return_exceptions=True)
    found = []
    for (url, stored), answer in zip(pages, answers, strict=True):
        if isinstance(answer, Analysis) and answer.is_shell:
            continue  # an archive holds what the server sent; what scripts made of it was judged in the crawl
        if isinstance(answer, Analysis):
            found.append(JudgedAgain(url, stored.at, stored.status, _obeyed(answer, stored, waived), stored.place))
        elif not isinstance(answer, AnalysisError):
            raise answer
    return found


async def _analysis(pool: Pool, url: str, stored: Stored) -> Analysis:
    return await pool.analyse(url, stored.body, http_content_type_encoding(stored.content_type) or "")


def _obeyed(analysis: Analysis, stored: Stored, waived: frozenset[str]) -> Analysis:
    """With what the response's headers forbid as well, as in a crawl."""
    found = replace(analysis, forbids=analysis.forbids | forbidden_by_headers(stored.headers), waived=waived)
    return found if found.follows else replace(found, outlinks=())


def _judged(judge: Judge, page: JudgedAgain) -> JudgedAgain:
    """The body as it was extracted; of the links, the words that were stored: anchors and addresses."""
    found = page.analysis
    links = [outlink.link for outlink in found.outlinks if judge.topic.allows(outlink.link.url)]
    judged = replace(
        found,
        judgement=judge.judge(found.extraction, found.subjects),
        outlinks=judge.outlinks(links),
        signature=found.signature or signature(found.extraction.body),
    )
    return replace(page, analysis=judged)


def _overruled(page: JudgedAgain, said: Mapping[str, Label]) -> JudgedAgain:
    found = page.analysis
    return replace(page, analysis=replace(found, judgement=overruled(found.judgement, said.get(page.url))))


def _batches(items: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(items, BATCH)):
        yield batch
