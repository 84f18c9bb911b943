"""Who a crawl is to servers, where the user wants to prove it. Without these settings nothing of it is loaded."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from crawler.plugins import part


class SigningMiddleware:
    """Downloader middleware: stands for the part that signs requests, with SIGN_WITH."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        if not crawler.settings["SIGN_WITH"]:
            raise NotConfigured
        return part("signing").from_crawler(crawler)
