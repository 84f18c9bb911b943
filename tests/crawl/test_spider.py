"""TopicSpider: what a crawl of a small web cannot show."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from crawler.crawl.topic_from_pages import named
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


def test_a_topic_of_one_sentence_is_learned_from_it_and_known_again(topics: Path) -> None:
    topic, seeds = choose_topic("", URL, "", "", topics, about="绿茶的冲泡")
    assert (topic.texts, topic.description, topic.embeddings, topic.provisional) == (
        ("绿茶的冲泡",),
        "绿茶的冲泡",
        True,
        True,
    )
    assert topic.describing_pages == () and seeds == (URL,)
    learned = named(topic.learn())
    learned.save_learned()
    again, _ = choose_topic("", "http://other.example/", "", "", topics, about="绿茶的冲泡")
    assert (again.name, again.vector) == (learned.name, learned.vector)
    assert choose_topic("", URL, "", "", topics, about="红茶")[0].provisional


@pytest.mark.parametrize(("topic", "words", "seeds"), [("java", "", URL), ("", "茶", URL), ("", "", "")])
def test_a_sentence_that_cannot_be_used(topics: Path, topic: str, words: str, seeds: str) -> None:
    with pytest.raises((SettingError, SeedError), match="-a about"):
        choose_topic(topic, seeds, "", words, topics, about="绿茶的冲泡")


@pytest.mark.parametrize("sentence", ["的 了 和 是", "x", "。。。", "the of and"])
def test_a_sentence_that_says_nothing_is_refused_before_the_crawl(topics: Path, sentence: str) -> None:
    with pytest.raises(SettingError, match="has no word that says"):
        choose_topic("", URL, "", "", topics, about=sentence)


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
