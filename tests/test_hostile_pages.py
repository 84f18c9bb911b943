"""Pages that nest or repeat so that each look at all the rest takes the square of their size: read in one pass."""

import pytest

from crawler.analyse import analyse
from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from lab.benchmarks.hostile.pages import NESTED, REPEATED
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(Topic.load("machine-learning", ROOT / "topics").learn())


@pytest.mark.timeout(60)  # each takes a second; before they were mended, half a minute to two
@pytest.mark.parametrize("name", [*NESTED, *REPEATED])
def test_read_in_one_pass(name: str, judge: Judge) -> None:
    found = analyse(Page((NESTED | REPEATED)[name](), "https://a.example/"), extractor("best"), judge)
    assert not found.judgement.on_topic
    assert len(found.outlinks) <= 5000
