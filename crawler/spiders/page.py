"""Pages that somebody names by address, fetched by a crawl's rules: robots.txt, public addresses, size and time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, ClassVar

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from crawler.addon import decide, derive
from crawler.crawl.session import Session
from crawler.crawl.topic_from_pages import FetchError
from crawler.options import user_agent
from crawler.reasons import Code, Reason
from crawler.spiders.visit_maker import reason_of
from crawler.topic.files import Topic


async def fetch(crawler: Crawler, request: Request) -> HtmlResponse:
    """Raises FetchError for what is not a page."""
    assert crawler.engine is not None
    try:
        response = await crawler.engine.download_async(request)
    except Exception as error:  # whatever the download handler raises: this page cannot be fetched
        raise FetchError(reason_of(error)) from error
    if not isinstance(response, HtmlResponse):
        is_page = response.status == 200
        raise FetchError(Reason(Code.NOT_HTML) if is_page else Reason(Code.STATUS, status=response.status))
    return response


class PageSpider(Spider):
    """Fetches each address once, with its redirects, and stores nothing."""

    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]  # Scrapy has an attribute of instances
        "SCHEDULER": "scrapy.core.scheduler.Scheduler",
        "SPIDER_MIDDLEWARES": {},
        "ITEM_PIPELINES": {},
        "EXTENSIONS": {},
        "STORE_URL": "sqlite://",
        "WARC_DIR": "",
        "RENDER": "off",
        "MINING_TAGS_OBEY": False,  # what may be mined is a question for who keeps a page
    }

    session: Session

    def __init__(self, addresses: Iterable[str], found: dict[str, HtmlResponse | FetchError]) -> None:
        super().__init__(name="page")
        self._addresses = addresses
        self._found = found

    async def start(self) -> AsyncIterator[Any]:
        for address in self._addresses:
            try:
                self._found[address] = await fetch(self.crawler, Request(address, meta={"dont_retry": True}))
            except FetchError as error:
                self._found[address] = error
        await self.session.close()
        nothing: tuple[Request, ...] = ()
        for request in nothing:  # makes this the generator that Scrapy asks for
            yield request

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> PageSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        derive(crawler.settings, USER_AGENT=user_agent(crawler.settings))
        spider.session = Session.of(Topic("page", Path("page.toml")), (), crawler.settings)
        return spider


def fetched(addresses: Iterable[str], settings: Settings) -> dict[str, HtmlResponse | FetchError]:
    """The pages by address. Works once in a process: Twisted's reactor starts once. Raises SettingError."""
    found: dict[str, HtmlResponse | FetchError] = {}
    settings = settings.copy()
    decide(settings, LOG_LEVEL="ERROR")
    process = AsyncCrawlerProcess(settings)
    process.crawl(PageSpider, addresses=addresses, found=found)
    process.start()
    return found
