"""A learned topic as a file: the same words, the same pages kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import TopicError
from crawler.records import Extraction
from crawler.topic.file_writer import as_topic_file, change_words, learned_topic, schedule
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from crawler.topic.learn import Description

POSTS = [
    "绿茶要用八十度左右的水，乌龙茶与普洱茶要用沸水，洗茶、高冲、低斟、分杯，先闻香再观汤色。",
    "茶叶按发酵程度分为绿茶、红茶和黑茶，龙井和碧螺春最为有名，普洱茶经渥堆后发酵，可以久藏。",
    "紫砂壶适合泡乌龙茶，盖碗则百搭，black tea 用大壶，泡茶讲究水温与时间。",
]
OTHERS = ["桥面要铺沥青，钢筋混凝土的配比决定强度。", "红茶与糕点，午后的时光。", "泡茶用的水，最好是山泉。", *POSTS]


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.9, 1.0])
def test_the_saved_file_keeps_the_same_pages(tmp_path: Path, threshold: float) -> None:
    topic = Topic.from_seeds("tea", ["https://tea.example/"], tmp_path)
    topic = topic.learn(Description(Extraction(body=post)) for post in POSTS)
    topic.save_learned()
    topic = replace(topic, threshold=threshold)
    kept = learned_topic("tea", tmp_path)
    assert kept.vector == topic.vector
    (tmp_path / "mine.toml").write_text(as_topic_file(topic, tmp_path), encoding="utf-8")
    mine = Topic.load(tmp_path / "mine.toml").learn()
    assert (mine.name, mine.seeds) == ("tea", topic.seeds)
    assert mine.vector is not None and topic.vector is not None
    assert mine.vector.weights == pytest.approx(
        {word: topic.vector.relevance(word) for word in topic.vector.weights}, rel=1e-5
    )
    judges = [Judge(topic), Judge(mine)]
    pages = [Extraction(body=text) for text in OTHERS]
    one, two = ([judge.judge(page) for page in pages] for judge in judges)
    assert [judgement.on_topic for judgement in one] == [judgement.on_topic for judgement in two]
    assert {judgement.on_topic for judgement in one} == ({True, False} if 0 < threshold < 1 else {threshold == 0})


def test_what_has_no_words(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="unknown"):
        learned_topic("coffee", tmp_path)
    (tmp_path / "far.toml").write_text("pages = ['https://tea.example/']", encoding="utf-8")
    with pytest.raises(TopicError, match="start a crawl"):
        learned_topic("far", tmp_path)
    assert "Java" not in as_topic_file(learned_topic("java", tmp_path), tmp_path), "words are lower case"


def test_a_schedule_for_a_bundled_topic_extends_it(tmp_path: Path) -> None:
    path = schedule("java", tmp_path, "1d")
    assert path == tmp_path / "java.toml"
    mine, bundled = Topic.load("java", tmp_path), Topic.load("java", tmp_path / "none")
    assert mine.schedule is not None and mine.schedule.every == 86400
    assert (mine.keywords, mine.texts, mine.title) == (bundled.keywords, bundled.texts, bundled.title)


@pytest.mark.parametrize(
    ("keys", "more"), [("keywords = ['茶']", True), ("replace = true\nkeywords = {'茶' = 0.5}", False)]
)
def test_keywords_of_a_file_are_added_to_those_of_the_bundled_topic(tmp_path: Path, keys: str, more: bool) -> None:
    (tmp_path / "mine.toml").write_text(f"extends = 'java'\n{keys}", encoding="utf-8")
    words = Topic.load("mine", tmp_path).keywords
    assert "茶" in words and ("jvm" in words) is more


def test_words_of_a_bundled_topic_are_changed_without_writing_more(tmp_path: Path) -> None:
    path = change_words(learned_topic("java", tmp_path), tmp_path, {"茶": 0.5}, ["jvm"])
    assert path.read_text(encoding="utf-8").count("=") == 3, "extends, one word, struck"
    assert Topic.load("java", tmp_path).struck == ("jvm",)


def test_a_schedule_for_a_file_of_ones_own_keeps_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "tea.toml"
    path.write_text('keywords = ["茶"]  # 饮料\n\n[schedule]\ncron = "0 6 * * *"\nbudget = 30\n', encoding="utf-8")
    assert schedule("tea", tmp_path, "2w") == path
    assert "# 饮料" in path.read_text(encoding="utf-8")
    made = Topic.load("tea", tmp_path).schedule
    assert made is not None and (made.every, made.cron, made.budget) == (14 * 86400, "", 30)


def test_a_schedule_of_no_time_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="write a time such as"):
        schedule("java", tmp_path, "daily")
    assert not list(tmp_path.iterdir())


def test_the_saved_file_names_the_dictionaries(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "ferries.txt").write_text("渡船码头 5 n\n", encoding="utf-8")
    path = tmp_path / "ferries.toml"
    path.write_text("dictionaries = ['words/ferries.txt']\nkeywords = ['渡口']", encoding="utf-8")
    topic = learned_topic(str(path))
    (tmp_path / "mine.toml").write_text(as_topic_file(topic, tmp_path), encoding="utf-8")
    assert Topic.load(tmp_path / "mine.toml").lexicon == topic.lexicon != ()
    with pytest.raises(TopicError, match=r"has the dictionary .*ferries.txt; save it in that folder"):
        as_topic_file(topic, tmp_path / "elsewhere")


def test_a_word_struck_from_a_topic_learned_from_seeds(tmp_path: Path) -> None:
    """The topic gets a file with its other words."""
    topic = Topic.from_seeds("tea", ["https://tea.example/"], tmp_path)
    topic = topic.learn(Description(Extraction(body=post)) for post in POSTS)
    topic.save_learned()
    change_words(learned_topic("tea", tmp_path), tmp_path, {}, ["普洱茶"])
    changed = Topic.load("tea", tmp_path).learn([Description(Extraction(body=post)) for post in POSTS])
    assert changed.vector is not None
    assert "普洱茶" not in changed.vector.weights and "绿茶" in changed.vector.weights
    assert changed.digest != topic.digest


def test_words_of_a_topic_learned_from_pages_of_the_web(tmp_path: Path) -> None:
    """What was learned is changed at once: nothing has to be fetched again."""
    path = tmp_path / "tea.toml"
    path.write_text('pages = ["https://tea.example/"]\n', encoding="utf-8")
    Topic.load(path).learn(Description(Extraction(body=post)) for post in POSTS).save_learned()
    change_words(Topic.load(path), tmp_path, {}, ["普洱茶"])
    change_words(Topic.load(path), tmp_path, {"白毫银针": 0.5}, [])
    changed = Topic.load(path)
    assert changed.vector is not None
    assert "普洱茶" not in changed.vector.weights and changed.vector.relevance("白毫银针") == 0.5
    assert (changed.struck, changed.keywords) == (("普洱茶",), {"白毫银针": 0.5})
