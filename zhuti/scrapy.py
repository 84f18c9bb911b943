"""Zhuti's parts for anybody's Scrapy spider: a topic's filter in three lines of settings.

    ITEM_PIPELINES = {"zhuti.scrapy.RelevancePipeline": 300}
    ZHUTI_TOPIC = "machine-learning"            # a bundled topic, or a .toml file
    ZHUTI_OFF_TOPIC = "drop"                    # or "mark"

ExtractionPipeline        fills in what an item's page says: title, body, published, author, kind, language
RelevancePipeline         the vector-space filter: drops or marks items that are not about the topic
LinkMetadataMiddleware    gives each request what the page says of its link: request.meta["link"]
PriorityFromTopic         gives each request the priority that a link scorer thinks it worth
TopicLinkExtractor        the links of a page that are about the topic, the best first, for rules of a CrawlSpider

The pipelines take items of any kind (dict, dataclass, Item) that have a `url` and the page as `html`, text or bytes;
the filter also takes items that have only a `body`. Fields that an item class does not declare are left out. They work
in the event loop, some 20 ms a page. Each part can be used alone, and knows nothing of the topic spider.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Response
from scrapy.link import Link as ScrapyLink
from scrapy.linkextractors import LinkExtractor
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.statscollectors import StatsCollector

from crawler.analyse import analyse, extract
from crawler.errors import SettingError
from crawler.exits import say_what_nobody_caught
from crawler.extractors import extractor
from crawler.messages import _
from crawler.reader.html.links import links
from crawler.reader.html.page import Page
from crawler.reader.html.urls import canonical
from crawler.reader.text.charset import decode
from crawler.records import Analysis, Extraction, JudgedPage, Link, Outcome
from crawler.scorers.registry import scorer
from crawler.topic.judge import Judge, page_judge
from zhuti import learned_topic

TOPIC = "ZHUTI_TOPIC"
OFF_TOPIC = "ZHUTI_OFF_TOPIC"
DROP, MARK = "drop", "mark"
PRIORITY = 1_000  # of a link whose score is 1; Scrapy's priorities are whole numbers


def _judge(crawler: Crawler) -> Judge:
    """Raises SettingError where no topic is set, CrawlerError for an unknown topic or judge."""
    say_what_nobody_caught()
    if not (topic := crawler.settings.get(TOPIC)):
        raise SettingError(_("set {name} to a topic's name or file", name=TOPIC))
    return page_judge(crawler.settings.get("PAGE_JUDGE", ""))(learned_topic(topic))


def _page(item: ItemAdapter) -> Page | None:
    """The item's page; None for an item without one."""
    html = item.get("html")
    if not html:
        return None
    url = item.get("url") or ""
    return Page(html if isinstance(html, str) else decode(html)[0], canonical(url) or url)


def _fill(item: ItemAdapter, values: dict[str, Any]) -> None:
    """Sets the fields that the item may have and that are still empty."""
    declared = set(item.field_names()) if not isinstance(item.item, dict) else None
    for name, value in values.items():
        if (declared is None or name in declared) and not item.get(name):
            item[name] = value


def _said(found: Analysis) -> dict[str, Any]:
    page = found.extraction
    values = {name: getattr(page, name) for name in ("title", "body", "published", "author")}
    return values | {"kind": page.kind.value, "language": found.language}


class ExtractionPipeline:
    """Item pipeline: title, body, time, author, kind and language of an item's page, by the extractor of EXTRACTOR."""

    def __init__(self, name: str = "best") -> None:
        """Raises SettingError for an unknown extractor."""
        self._extract = extractor(name)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        say_what_nobody_caught()
        return cls(crawler.settings.get("EXTRACTOR", "best"))

    def process_item(self, item: Any) -> Any:
        adapter = ItemAdapter(item)
        if (page := _page(adapter)) is not None:
            _fill(adapter, _said(extract(page, self._extract)))
        return item


class RelevancePipeline:
    """Item pipeline: the vector-space filter (papers.md 9.6). An item is kept as a crawl for the topic would keep its
    page. Marked items get `similarity` and `on_topic`; others are dropped, counted by reason in the stats."""

    def __init__(
        self, judge: Judge, name: str = "best", *, drops: bool = True, stats: StatsCollector | None = None
    ) -> None:
        self._judge, self._extract, self._drops, self._stats = judge, extractor(name), drops, stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        say_what_nobody_caught()
        settings = crawler.settings
        if (what := settings.get(OFF_TOPIC, DROP)) not in (DROP, MARK):
            raise SettingError(_("{name} is {what!r}; give drop or mark", name=OFF_TOPIC, what=what))
        return cls(_judge(crawler), settings.get("EXTRACTOR", "best"), drops=what == DROP, stats=crawler.stats)

    def process_item(self, item: Any) -> Any:
        adapter = ItemAdapter(item)
        found = self._judged(adapter)
        outcome, reason = found.verdict()
        is_kept = outcome is Outcome.KEPT
        if self._drops and not is_kept:
            if self._stats is not None:
                self._stats.inc_value(f"zhuti/dropped/{reason.code.value}")
            raise DropItem(str(reason), log_level="DEBUG")
        _fill(adapter, {"similarity": found.judgement.similarity, "on_topic": is_kept})
        return item

    def _judged(self, item: ItemAdapter) -> Analysis:
        if (page := _page(item)) is not None:
            return analyse(page, self._extract, self._judge)
        text = Extraction(item.get("title") or "", item.get("body") or item.get("text") or "")
        return Analysis(text, self._judge.judge(text))


class LinkMetadataMiddleware(BaseSpiderMiddleware):
    """Spider middleware: `request.meta["link"]` is a `zhuti.Link` with anchor text, title, the text around and the tag
    path of the link by which a page leads to the request."""

    async def process_spider_output_async(
        self, response: Response | None, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        known: dict[str, Link] | None = None
        async for one in result:
            if isinstance(one, Request) and isinstance(response, HtmlResponse):
                if known is None:
                    known = {link.url: link for link in links(_of(response))}
                if (link := known.get(canonical(one.url) or one.url)) is not None:
                    one.meta["link"] = link
            yield one


class PriorityFromTopic(BaseSpiderMiddleware):
    """Spider middleware: `request.priority` from the link scorer of LINK_SCORER, which learns each page of the spider
    as it comes. Scrapy's scheduler then fetches first what is likely on the topic. A request that has a priority of its
    own keeps it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._judge, self._extract = _judge(crawler), extractor("plain")
        self._scorer = scorer(crawler.settings.get("LINK_SCORER", "learned"))

    async def process_spider_output_async(
        self, response: Response | None, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        scores = self._learn(response) if isinstance(response, HtmlResponse) else {}
        async for one in result:
            if isinstance(one, Request) and not one.priority:
                score = scores.get(canonical(one.url) or one.url)
                if score is not None:
                    one = one.replace(priority=round(score * PRIORITY))
            yield one

    def _learn(self, response: HtmlResponse) -> dict[str, float]:
        """The scores of the page's links."""
        page = _of(response)
        found = analyse(page, self._extract, self._judge)
        judgement, depth = found.judgement, int(response.meta.get("depth", 0))
        seen = JudgedPage(
            url=page.url,
            nearness=min(1.0, judgement.nearness),
            on_topic=judgement.on_topic,
            text_relevance=judgement.text_relevance,
            depth=depth,
            distance=0,
            outlinks=found.outlinks,
            post=found.post,
        )
        return dict(self._scorer.observe(seen))


class TopicLink(ScrapyLink):
    """A link as Scrapy's rules take it, and how relevant its words are to the topic, in [0, 1]."""

    __slots__ = ("relevance",)

    def __init__(self, link: ScrapyLink, relevance: float) -> None:
        super().__init__(link.url, link.text, link.fragment, link.nofollow)
        self.relevance = relevance


class TopicLinkExtractor(LinkExtractor):
    """A link extractor for the rules of a CrawlSpider:

        rules = [Rule(TopicLinkExtractor("java", least=0.05), callback="parse_post", follow=True)]

    Args:
        topic: a bundled topic's name, or a .toml file.
        least: relevance from which on a link is taken, in [0, 1]; 0 takes all.
        options: what Scrapy's LinkExtractor takes, such as `allow` and `restrict_css`.

    Raises:
        TopicError: unknown topic.
    """

    def __init__(self, topic: str, least: float = 0.0, **options: Any) -> None:
        super().__init__(**options)
        self._judge, self._least = Judge(learned_topic(topic)), least

    def extract_links(self, response: Response) -> list[ScrapyLink]:
        """The best first. None of what is not an HTML page."""
        if not isinstance(response, HtmlResponse):
            return []
        judged = {outlink.link.url: outlink.relevance for outlink in self._judge.outlinks(links(_of(response)))}
        allowed = super().extract_links(response)
        found = [TopicLink(link, judged.get(canonical(link.url) or link.url, 0.0)) for link in allowed]
        taken = [link for link in found if link.relevance >= self._least]
        return [*sorted(taken, key=lambda link: -link.relevance)]


def _of(response: HtmlResponse) -> Page:
    return Page(response.text, canonical(response.url) or response.url)
