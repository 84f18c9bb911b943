from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crawler.crawl.topic_from_pages import known_name, named
from crawler.topic.files import Topic
from crawler.topic.vector import TopicVector

A, B = "https://a.example/", "https://b.example/"
WORDS = {
    "绿茶": 1.0,
    "2024": 0.9,
    "c++": 0.8,
    "x" * 31: 0.7,
    "冲泡": 0.6,
    "../tea": 0.5,
    "茶叶": 0.4,
    "水温": 0.3,
    "茶": 0.2,
}


def learned(folder: Path, seed: str, words: dict[str, float], title: str = "", typed: tuple[str, ...] = ()) -> Topic:
    keywords = dict.fromkeys(typed, 1.0)
    topic = replace(Topic.from_seeds("a.example", [seed], folder, keywords=keywords), provisional=True)
    topic = named(replace(topic, vector=TopicVector(words)), [title])
    topic.save_learned()
    return topic


def test_the_name_is_what_the_topic_is_about(tmp_path: Path) -> None:
    assert known_name([A], tmp_path) == ""
    topic = learned(tmp_path, A, WORDS)
    assert (topic.name, topic.provisional) == ("绿茶-冲泡-茶叶", False), "words, no longer than names may be"
    assert topic.learned_path == tmp_path / "绿茶-冲泡-茶叶.learned.json"
    assert known_name([A], tmp_path) == topic.name, "at the next start"
    assert learned(tmp_path, A, WORDS).name == topic.name, "of another worker that learns at the same time"


def test_no_two_topics_share_a_name(tmp_path: Path) -> None:
    learned(tmp_path, A, WORDS)
    assert learned(tmp_path, B, WORDS).name == "绿茶-冲泡-茶叶-水温"
    assert (known_name([A], tmp_path), known_name([B], tmp_path)) == ("绿茶-冲泡-茶叶", "绿茶-冲泡-茶叶-水温")
    (tmp_path / "java.toml").write_text("keywords = ['java']", encoding="utf-8")
    assert learned(tmp_path, B, {"java": 1.0}).name == "a.example", "the first seed's host"
    (tmp_path / "绿茶-冲泡-茶叶.toml").write_text(f"pages = ['{A}']", encoding="utf-8")
    assert known_name([A], tmp_path) == "", "that is the topic of a file"


def test_the_words_of_the_user_and_of_titles_come_first(tmp_path: Path) -> None:
    assert learned(tmp_path, A, WORDS, "茶叶的水温").name == "茶叶-水温"
    assert learned(tmp_path, B, WORDS, "茶叶的水温").name == "茶叶-水温-绿茶", "the name is taken"
    assert learned(tmp_path, A, WORDS, "茶叶的水温", ("乌龙茶", "铁观音")).name == "乌龙茶-铁观音"
    assert learned(tmp_path, B, WORDS, "", ("乌龙茶", "c++", *WORDS)).name == "乌龙茶-绿茶-冲泡", "three words at most"


def test_no_word_makes_a_name(tmp_path: Path) -> None:
    assert learned(tmp_path, A, {"c++": 1.0, "2024": 0.5}).name == "a.example"


def test_a_damaged_file_is_no_other_topic(tmp_path: Path) -> None:
    topic = learned(tmp_path, A, WORDS)
    topic.learned_path.write_text("{", encoding="utf-8")
    assert learned(tmp_path, A, WORDS).name == topic.name
