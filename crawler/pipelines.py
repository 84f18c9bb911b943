"""The page's way through the pipelines: what does it say, is it on topic? Then into the store, whatever the answers."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from crawler.crawl.session import Session, session_of
from crawler.document import FIELDS, Document, Value, found_in, record
from crawler.errors import ArchiveError, StoreError
from crawler.frontier.new_urls import netloc
from crawler.middlewares.archive import ArchivePart
from crawler.options import waived
from crawler.reasons import Code, Reason
from crawler.records import NOT_JUDGED, Analysis, Outcome, Visit

LOST = (Outcome.FAILED, Outcome.FORBIDDEN, Outcome.NOT_HTML)
ITEM_FIELDS = tuple(name for name in FIELDS if name != "keywords")  # these take 15 ms a page: an export makes them


class Pipeline:
    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(session_of(crawler))


class ExtractionPipeline(Pipeline):
    """Body, title, time and the author's tags: the job that the link middleware has begun extracts them, and they are
    taken over here. What the publisher forbids is noted."""

    def __init__(self, session: Session, waived: frozenset[str] = frozenset()) -> None:
        """`waived`: what the user does not obey."""
        super().__init__(session)
        self._waived = waived

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(session_of(crawler), waived(crawler.settings))

    async def process_item(self, item: Visit) -> Visit:
        if item.job is None or item.analysis is None:  # a redirect, a failure, or what else is not a page
            return replace(item, forbids=item.forbids - self._waived) if item.forbids else item
        whole = await item.job
        said = replace(whole, judgement=NOT_JUDGED, outlinks=item.analysis.outlinks)
        return replace(item, analysis=replace(said, forbids=said.forbids | item.forbids, waived=self._waived))


class RelevancePipeline(Pipeline):
    """The vector-space filter: page and links against the topic, and whether the page is kept (papers.md 9.6). The same
    job has judged them; the verdict is made here."""

    async def process_item(self, item: Visit) -> Visit:
        if item.job is None or item.analysis is None:
            return item
        whole = await item.job
        judged = replace(item.analysis, judgement=whole.judgement, outlinks=whole.outlinks)
        outcome, reason = judged.verdict()
        if outcome is Outcome.KEPT:
            said = {"day": datetime.fromtimestamp(item.fetched_at, UTC).date().isoformat(), **item.told}
            said |= {"metas": judged.metas, "forbids": sorted(judged.forbids), "licence": judged.licence}
            consent = json.dumps({name: each for name, each in said.items() if each}, ensure_ascii=False)
            judged = replace(judged, consent=consent)
        if item.rendered:
            reason = Reason(Code.RENDERED_AND, reason=reason) if reason else Reason(Code.RENDERED)
        return replace(item, outcome=outcome, reason=reason, job=None, analysis=judged)


class OutlinksPipeline(Pipeline):
    """The only step that changes links, once they are judged: those to sites that have moved get the new address, index
    files are admitted, and those of a page that says nofollow go. Where such an address fails, it is asked for as it
    was written."""

    async def process_item(self, item: Visit) -> Visit:
        url, moved = item.claim.url, self._session.moved
        if item.target:
            moved.redirected(url, item.target)
        if item.outcome in LOST:
            return replace(item, asks=moved.failed(url))
        if item.analysis is None:
            return item
        if item.claim.index_kind:
            listed = self._session.index_files.listed(url, item.analysis, item.claim.index_kind)
            outlinks = moved.lead(listed.outlinks, url) if listed.follows else ()
            return replace(item, analysis=replace(listed, outlinks=outlinks))
        moved.answered(url, item.analysis.extraction.body)
        found = replace(item.analysis, outlinks=moved.lead(item.analysis.outlinks, url))
        found = self._session.index_files.admit(url, found)
        return replace(item, analysis=found if found.follows else replace(found, outlinks=()))


class ArchivePipeline(ArchivePart):
    """What was thought of a page goes into the archive, beside its response."""

    async def process_item(self, item: Visit) -> Visit:
        try:
            await self._archiving.note(item, self._session.topic.name)
        except ArchiveError as error:
            self._session.fail(error)
        return item


class StorePipeline(Pipeline):
    """Acknowledges the URL, stores the page and gives its outlinks to the frontier, in one transaction."""

    async def process_item(self, item: Visit) -> dict[str, Value]:
        """Returns what feeds and the user's pipelines get of a kept page, the same as `zhuti export` gives. Raises
        DropItem for everything else."""
        try:
            outcome = await self._session.store.commits.commit(item)
        except StoreError as error:
            self._session.fail(error)
            raise DropItem(f"not stored: {item.claim.url}", log_level="DEBUG") from error
        if outcome not in (Outcome.KEPT, Outcome.CHANGED):
            raise DropItem(f"{outcome}: {item.claim.url}: {item.reason}", log_level="DEBUG")
        assert item.analysis is not None
        return record(document_of(item, item.analysis), ITEM_FIELDS)


def document_of(visit: Visit, found: Analysis) -> Document:
    url = visit.claim.url
    return Document(
        url=url,
        body=found.extraction.body,
        similarity=found.judgement.similarity,
        fetched_at=datetime.fromtimestamp(visit.fetched_at, UTC).isoformat(timespec="seconds"),
        host=netloc(url),
        **found_in(found),
    )
