"""What `zhuti rejudge` does: reads pages, judges them, hands them to the store in batches. Those of an archive are
analysed again in the pool."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from scrapy.settings import BaseSettings
from w3lib.encoding import http_content_type_encoding

from crawler.analyse import judge_stored
from crawler.crawl.pool import Pool
from crawler.crawl.topic_from_pages import Fetch, FetchError, learn_topic
from crawler.crawl.worker import AnalysisError
from crawler.database.database import Database, existing
from crawler.database.statements import count
from crawler.frontier.frontier import Frontier
from crawler.labels.judge_again import JudgingAgain, has_moved, judged_first, note_judged, until_done
from crawler.labels.labels import counting, every
from crawler.labels.lessons import taught
from crawler.messages import _
from crawler.options import slowest_refresh, waived
from crawler.reader.html.declared import forbidden_by_headers
from crawler.reader.text.charset import decode
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Outcome, Visit
from crawler.scorers.registry import crawl_scorer
from crawler.store.shared_store import store_for
from crawler.tell.progress import progress_bar
from crawler.topic.files import Topic
from crawler.topic.judge import Judge, page_judge
from zhuti.archive.reader import Stored, WarcPages, warc_files
from zhuti.identity.rsl import reserved
from zhuti.rejudge.stored import put_again, stored_pages, visit, with_text, without_text

BATCH = 500  # pages in a transaction, and so in memory
AT_FIRST = "best-first"  # a link scorer that has nothing to learn

T = TypeVar("T")


@dataclass(slots=True)
class Result:
    outcomes: Counter[Outcome]
    torn: list[str]  # sentences about WARC files that are cut off
    without_text: int = 0  # dropped pages that could not be judged again

    def told(self, name: str) -> str:
        """The outcome in a sentence, for the topic `name`."""
        counts = self.outcomes
        named = {"total": counts.total(), "name": name, "kept": counts[Outcome.KEPT]}
        named |= {"repeats": counts[Outcome.DUPLICATE], "off_topic": counts[Outcome.OFF_TOPIC]}
        return _(
            "{total} pages judged for {name}: {kept} kept, {repeats} repeat a kept page, {off_topic} off topic", **named
        )


async def rejudge(
    topic: Topic, warc: Path | None, settings: BaseSettings, pool: Pool, only_new: bool = False
) -> Result:
    """`only_new`: not what was judged for the topic as it is. Raises CrawlerError. What was committed before stays."""
    archive = WarcPages.of(warc_files(warc), slowest_refresh(settings)) if warc else None
    learned = await learn_topic(topic, _fetch_from(archive), pool.describe)
    judge_of = page_judge(settings["PAGE_JUDGE"])
    with (Database if archive else existing)(settings["STORE_URL"]) as database:
        frontier = Frontier(database, topic.name)
        topic_id = frontier.topic_id
        if learned.precision is not None:  # the threshold comes first
            until_done(database, topic_id, JudgingAgain(learned, judge_of))
        with database.transaction() as connection:
            learned = taught(connection, topic_id, learned)
            said = counting(every(connection, topic_id))
            note_judged(connection, topic_id)
        # Links have its scores until the next crawl teaches its own scorer, which takes longer than to judge.
        store = store_for(database)(database, frontier, crawl_scorer(AT_FIRST))
        put = partial(put_again, database, frontier, store, said)
        outcomes: Counter[Outcome] = Counter()
        if archive is None:
            judge = judge_of(learned)
            with database.transaction(shared=True) as connection:
                first = judged_first(connection, topic_id)
                now = [judge.judge(page.extraction, page.subjects) for page, _ in first]
                left_out = topic_id if only_new and not has_moved(first, now) else None
                total = count(connection, *with_text(left_out))
            with progress_bar(_("pages judged for {name}", name=topic.name)) as progress:
                for batch in stored_pages(database, topic_id, BATCH, left_out):
                    outcomes.update(put([judged(judge, page) for page in batch if learned.allows(page.claim.url)]))
                    progress(outcomes.total(), total)
            with database.transaction(shared=True) as connection:
                return Result(outcomes, [], without_text(connection, topic_id))
        await pool.take(learned)
        for pages in _batches(page for page in archive if learned.allows(page[0])):
            outcomes.update(put(await _analysed(pool, pages, waived(settings))))
        return Result(outcomes, archive.torn)


def _fetch_from(archive: WarcPages | None) -> Fetch:
    """The pages that a topic is learned from, out of the archive."""

    async def fetch(address: str) -> str:
        markup = archive.markup(address) if archive else None
        if markup is None:
            raise FetchError(Reason(Code.NOT_ARCHIVED))
        return markup

    return fetch


def judged(judge: Judge, page: Visit) -> Visit:
    """A stored page, and its links."""
    assert page.analysis is not None
    return replace(page, analysis=judge_stored(page.analysis, judge))


async def _analysed(pool: Pool, pages: Sequence[tuple[str, Stored]], waived: frozenset[str]) -> list[Visit]:
    """The pages that can be analysed: a crawl would not have kept the others either."""
    answers = await asyncio.gather(*(_analysis(pool, *page) for page in pages), return_exceptions=True)
    found = []
    for (url, stored), answer in zip(pages, answers, strict=True):
        if isinstance(answer, Analysis) and answer.is_shell:
            continue  # an archive holds what the server sent; what scripts made of it was judged in the crawl
        if isinstance(answer, Analysis):
            found.append(visit(url, stored.at, stored.status, _obeyed(answer, stored, waived), stored.place))
        elif not isinstance(answer, AnalysisError):
            raise answer
    return found


async def _analysis(pool: Pool, url: str, stored: Stored) -> Analysis:
    return await pool.analyse(url, stored.body, http_content_type_encoding(stored.content_type) or "")


def _obeyed(analysis: Analysis, stored: Stored, waived: frozenset[str]) -> Analysis:
    """The analysis with what the response's headers forbid as well, as in a crawl."""
    own = reserved(decode(stored.body)[0], stored.url) if b"rsl+xml" in stored.body else frozenset()
    says = analysis.forbids | forbidden_by_headers(stored.headers) | own
    found = replace(analysis, forbids=says, waived=waived)
    return found if found.follows else replace(found, outlinks=())


def _batches(items: Iterator[T]) -> Iterator[list[T]]:
    while batch := list(islice(items, BATCH)):
        yield batch
