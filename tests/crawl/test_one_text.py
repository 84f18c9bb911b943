"""One page, one topic, one similarity, to the last digit: whoever judges a page, judges it by the same text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.labels.judge_again import judge_again
from crawler.reader.html.page import Page
from crawler.records import similarity_of
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from tests.conftest import Scrapy, of_topic, rows
from tests.steps.conftest import documents
from zhuti import judge, steps

TOPIC = "machine-learning"
JUDGED = "SELECT url, nearness FROM judgements JOIN pages ON pages.id = page_id WHERE body IS NOT NULL"


def similarities(folder: Path) -> dict[str, float]:
    """Of all pages that are stored with a text."""
    return {str(url): similarity_of(float(str(nearness))) for url, nearness in rows(folder, JUDGED)}


@pytest.fixture
def harvest(scrapy: Scrapy, demo_proxy: str, tmp_path: Path, topics: Path) -> Path:
    """A folder with a harvest and its archive."""
    crawl = scrapy(*of_topic(TOPIC, "-s", "PAGE_BUDGET=60", "-s", f"WARC_DIR={tmp_path / 'warc'}"), proxy=demo_proxy)
    assert crawl.returncode == 0, crawl.stderr
    return tmp_path


def test_whoever_judges(scrapy: Scrapy, harvest: Path, topics: Path) -> None:
    crawled = similarities(harvest)
    assert len(crawled) > 20

    assert scrapy("label", TOPIC, min(crawled), "unsure").returncode == 0  # an answer that changes no weight
    topic = Topic.load(str(topics / f"{TOPIC}.toml")).learn()
    database = f"sqlite:///{harvest / 'harvest.db'}"
    done = judge_again(database, 1, topic, Judge)
    assert done is not None
    assert (done.judged, done.changed) == (len(crawled), 0)
    assert similarities(harvest) == crawled

    assert scrapy("rejudge", TOPIC).returncode == 0
    assert similarities(harvest) == crawled
    assert scrapy("rejudge", TOPIC, "--from-warc", str(harvest / "warc")).returncode == 0
    assert similarities(harvest) == crawled

    (archive,) = (harvest / "warc").glob("*.warc.gz")
    told = scrapy("extract", str(archive), "--topic", TOPIC, "--jsonl")
    assert told.returncode == 0, told.stderr
    extracted = {page["id"]: page["similarity"] for page in map(json.loads, told.stdout.splitlines())}
    assert {url: extracted[url] for url in crawled} == crawled

    pages = documents(steps.Warc(str(harvest / "warc")))
    by_library = {url: judge(Page(pages[url].page.markup, url), topic).similarity for url in crawled}  # type: ignore[attr-defined]
    assert by_library == crawled
    look, weigh = steps.Extract(), steps.Judge([topic], everything=True)
    assert all(look.look(pages[url]) and weigh.look(pages[url]) for url in crawled)
    assert {url: pages[url].metadata["judgements"][0]["similarity"] for url in crawled} == crawled
