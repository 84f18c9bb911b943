"""TopicSpider: what a crawl of a small web cannot show."""

from __future__ import annotations

import logging

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from crawler.answers import Answers
from crawler.records import Claim, Outcome, Visit
from crawler.spiders.topic import TopicSpider

URL = "http://a.example/x"


class Broken(HtmlResponse):
    """An answer that the program did not foresee."""

    @property
    def text(self) -> str:
        raise RuntimeError("odd")


def test_an_answer_that_breaks_the_program_ends_its_claim(caplog: pytest.LogCaptureFixture) -> None:
    """A claim without a visit would be renewed for ever, and the crawl would never end."""
    spider = TopicSpider()
    spider._answers = Answers.of(Settings())
    response = Broken(URL, request=Request(URL, meta={"claim": Claim(1, URL, 1.0)}))
    with caplog.at_level(logging.ERROR):
        [visit] = spider.parse(response)
    assert isinstance(visit, Visit)
    assert (visit.outcome, visit.reason) == (Outcome.FAILED, "RuntimeError: odd")
    assert visit.status == 200, "no failure of the host"
    assert URL in caplog.text
    assert "Traceback" in caplog.text
