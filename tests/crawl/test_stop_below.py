"""A crawl that ends when the rest is not worth its fetches, as a user runs it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crawler.crawl.progress import NOTHING_AFTER
from tests.conftest import Scrapy, of_topic

TOPIC = "machine-learning"
NOWHERE = 'name = "fishing"\nkeywords = ["金枪鱼延绳钓", "深海鱼群探测仪", "渔获配额"]\n'


def test_a_topic_that_matches_nothing(scrapy: Scrapy, demo_proxy: str, tmp_path: Path) -> None:
    """It is said, the crawl goes on by exploring, and ends."""
    topic = tmp_path / "fishing.toml"
    topic.write_text(NOWHERE, encoding="utf-8")
    arguments = list(of_topic(TOPIC, "-s", "PAGE_BUDGET=0", "-s", "STOP_BELOW=0.02"))
    arguments[arguments.index(f"topic={TOPIC}")] = f"topic={topic}"
    crawl = scrapy(*arguments, proxy=demo_proxy)
    assert crawl.returncode == 0, crawl.stderr
    warning = re.search(r"none of the first (\d+) pages is on topic fishing", crawl.stderr)
    assert warning is not None
    assert int(warning[1]) >= NOTHING_AFTER
    fetched = re.search(r"pages fetched │ (\d+)", crawl.stdout)
    assert fetched is not None
    assert NOTHING_AFTER < int(fetched[1]) < 200, "of more than 700"
    assert "ended         │ the harvest rate fell below STOP_BELOW=0.02" in crawl.stdout


def test_the_end_of_a_harvest(scrapy: Scrapy, demo_proxy: str) -> None:
    settings = ("-s", "PAGE_BUDGET=0", "-s", "STOP_BELOW=0.15", "-s", "EXTRACTOR=plain")
    crawl = scrapy(*of_topic(TOPIC, *settings), proxy=demo_proxy)
    assert crawl.returncode == 0, crawl.stderr
    assert "STOP_BELOW=0.15" in crawl.stdout
    assert re.search(
        r"still waiting │ \d+; of the next \d+, about \d+ are",
        crawl.stdout,
    )
    assert "The crawl ends: the harvest rate fell below" in crawl.stderr


@pytest.mark.parametrize("value", ["much", "-0.1", "2"])
def test_no_rate(scrapy: Scrapy, value: str) -> None:
    crawl = scrapy(*of_topic(TOPIC, "-s", f"STOP_BELOW={value}"))
    assert crawl.returncode != 0
    remedy = "give a number from 0 to 1 (a harvest rate such as 0.02, 0 for never)"
    assert crawl.stderr.endswith(f"Error: STOP_BELOW={value} cannot be used; {remedy}\n")
