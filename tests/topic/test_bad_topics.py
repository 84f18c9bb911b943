"""Topics that say nothing, too much, or things that contradict each other; pages that are made to be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import TopicError
from crawler.records import Extraction
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

TEA = "绿茶的冲泡讲究水温，茶叶放进杯里，先用少许热水润一润，再把水加满，等三分钟。"
OTHER = "早上出门，地铁里人很多。办公室的窗户开着，楼下有人在修路，下午开了两个会。" * 20

TOPICS = {
    "one letter": 'keywords = ["x"]',
    "two contradictory sentences": 'texts = ["只讲猫，从来不讲狗。", "只讲狗，从来不讲猫。"]',
    "a language that the table does not know": 'texts = ["ქართული ღვინის დაყენება ქვევრში"]',
    "ten thousand words that begin alike": "keywords = [" + ", ".join(f'"词{n}号"' for n in range(10_000)) + "]",
}
PAGES = {
    "half a million characters": Extraction("长", OTHER * 700),
    "one line": Extraction("", "一" * 20_000),
    "numbers": Extraction("2024", " ".join(map(str, range(3000)))),
    "nothing": Extraction("", ""),
    "marks": Extraction("!!!", "…" * 500),
}


def learned(tmp_path: Path, content: str) -> Topic:
    path = tmp_path / "odd.toml"
    path.write_text(content, encoding="utf-8")
    return Topic.load(path).learn()


@pytest.fixture(scope="module")
def tea(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(learned(tmp_path_factory.mktemp("tea"), f'keywords = ["绿茶", "茶叶", "冲泡"]\ntexts = ["{TEA}"]'))


@pytest.mark.parametrize("name", TOPICS)
def test_an_odd_topic_does_not_keep_a_page_about_something_else(tmp_path: Path, name: str) -> None:
    judge = Judge(learned(tmp_path, TOPICS[name]))
    found = judge.judge(Extraction("一天", OTHER))
    assert 0.0 <= found.similarity < judge.topic.threshold
    assert not found.on_topic


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('texts = ["。。。！！"]', "contain no words"),
        ('keywords = ["的", "了", "go"]', "的, 了, go stand in pages about any"),
    ],
)
def test_a_topic_that_says_nothing_is_refused(tmp_path: Path, content: str, sentence: str) -> None:
    with pytest.raises(TopicError, match=sentence):
        learned(tmp_path, content)


@pytest.mark.parametrize("name", PAGES)
def test_an_odd_page_is_judged_and_not_kept(tea: Judge, name: str) -> None:
    found = tea.judge(PAGES[name])
    assert 0.0 <= found.similarity < tea.topic.threshold
    assert not found.on_topic


@pytest.mark.parametrize("times", [1, 10, 100, 1000])
def test_calibration_does_not_keep_a_stuffed_page_that_nearness_alone_would_drop(tea: Judge, times: int) -> None:
    """The topic's words over and over below a text about something else."""
    page = Extraction("一天", OTHER + "绿茶 茶叶 冲泡 " * times)
    vector = tea.topic.vector
    assert vector is not None
    plain = Judge(Topic("plain", tea.topic.path, vector=type(vector)(vector.weights, vector.unit, by_meaning=False)))
    assert tea.judge(page).on_topic <= plain.judge(page).on_topic
