"""The page's way through the pipelines: has it a body, is it on topic? Then into the store, whatever the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from crawler.errors import StoreError
from crawler.items import PageItem
from crawler.records import Outcome, Visit

if TYPE_CHECKING:
    from crawler.spiders.topic import TopicSpider


class ExtractionPipeline:
    """A page without body text is not kept, but its links may still be followed."""

    def process_item(self, item: PageItem | Visit) -> PageItem | Visit:
        if isinstance(item, PageItem) and item.analysis is not None and not item.analysis.extraction.body:
            item.outcome = Outcome.OFF_TOPIC
            item.reason = item.analysis.extraction.reason
        return item


class RelevancePipeline:
    """Vector-space filter: a page less similar to the topic than its threshold is not kept (papers.md 9.6)."""

    def process_item(self, item: PageItem | Visit) -> PageItem | Visit:
        if (
            isinstance(item, PageItem)
            and item.outcome is Outcome.KEPT
            and item.analysis is not None
            and not item.analysis.judgement.on_topic
        ):
            item.outcome = Outcome.OFF_TOPIC
            item.reason = item.analysis.judgement.reason
        return item


class StorePipeline:
    """Acknowledges the URL, stores the page and gives its outlinks to the frontier, in one transaction."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: PageItem | Visit) -> PageItem:
        """Raises DropItem for everything that is not kept, so that only kept pages reach Scrapy's feeds."""
        spider: TopicSpider = self._crawler.spider  # type: ignore[assignment]
        visit = item.visit() if isinstance(item, PageItem) else item
        try:
            outcome = await spider.session.keeper.commit(visit)
        except StoreError as error:
            spider.fail(error)
            raise DropItem(f"not stored: {visit.claim.url}", log_level="DEBUG") from error
        if outcome is not Outcome.KEPT or not isinstance(item, PageItem):
            raise DropItem(f"{outcome}: {visit.claim.url}: {visit.reason}", log_level="DEBUG")
        return item
