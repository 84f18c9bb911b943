"""TopicSpider: what a crawl of a small web cannot show."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from crawler.errors import SeedError, SettingError
from crawler.records import Claim, Outcome
from crawler.spiders.topic import TopicSpider, choose_topic
from crawler.spiders.visit_maker import VisitMaker

URL = "http://a.example/x"


class Broken(HtmlResponse):
    """An answer that the program did not foresee."""

    @property
    def encoding(self) -> str:
        raise RuntimeError("odd")


def test_an_answer_that_breaks_the_program_ends_its_claim(caplog: pytest.LogCaptureFixture) -> None:
    """A claim without a visit would be renewed for ever, and the crawl would never end."""
    spider = TopicSpider()
    spider._answers = VisitMaker.of(Settings())
    response = Broken(URL, request=Request(URL, meta={"claim": Claim(1, URL, 1.0)}))
    with caplog.at_level(logging.ERROR):
        [visit] = spider.parse(response)
    assert (visit.outcome, str(visit.reason)) == (Outcome.FAILED, "RuntimeError: odd")
    assert visit.status == 200, "no failure of the host"
    assert URL in caplog.text
    assert "Traceback" in caplog.text


def test_the_topic_and_the_seeds_that_arguments_mean(topics: Path) -> None:
    topic, seeds = choose_topic("java", URL, "", "", topics)
    assert (topic.name, seeds) == ("java", (URL,)), "given seeds take the place of the file's"
    topic, seeds = choose_topic("", f"{URL},http://b.example/", "", "", topics)
    assert (topic.name, topic.seeds, seeds) == ("a.example", seeds, (URL, "http://b.example/"))
    assert topic.provisional, "until it is learned what it is about"
    assert choose_topic("", URL, "渡口-2", "", topics)[0].name == "渡口-2"
    assert not choose_topic("", URL, "渡口-2", "", topics)[0].provisional
    for arguments in (("java", URL, ""), ("", URL, ""), ("", URL, "渡口-2")):
        assert choose_topic(*arguments, "", topics, "jieba")[0].lexicon.segmenter == "jieba"


@pytest.mark.parametrize(
    ("topic", "seeds", "name", "error", "words"),
    [
        ("", "", "", SeedError, "-a topic=NAME"),
        ("java", "", "mine", SettingError, "leave it out"),
        ("", URL, "../mine", SettingError, "file names"),
        ("", URL, ".", SettingError, "file names"),
    ],
)
def test_arguments_that_mean_nothing(
    topics: Path, topic: str, seeds: str, name: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        choose_topic(topic, seeds, name, "", topics)
