from __future__ import annotations

from pathlib import Path

import pytest

from crawler.topic.files import Topic
from tests.commands.conftest import Run, fill
from tests.crawls import Crawl
from zhuti.topics.command import Command


def test_show(run: Run) -> None:
    done = run(Command(), "show", "java", "--words", "3")
    assert done.status == 0
    head, *words = done.out.splitlines()
    assert head.startswith("java: ") and head.endswith("similarity 0.3 or more are kept")
    assert len(words) == 3
    assert words[0].startswith("  1.000  ")


def test_save(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    saved = run(Command(), "show", "java", "--save", str(path))
    assert f"Edit {path}, then" in saved.out
    assert f"zhuti rejudge {path}" in saved.out
    assert Topic.load(path).keywords
    again = run(Command(), "show", "java", "--save", str(path))
    assert (again.status, again.out) == (2, "")
    assert "exists" in again.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give a topic"),
        (("list", "java"), "give a topic"),
        (("strike", "java"), "give a topic"),
        (("strike", "java", "茶叶"), "茶叶 is not a word of topic 'java'"),
        (("add", "java", "jvm=2"), "at most 1"),
        (("add", "java", "jvm=x"), "at most 1"),
        (("add", "java", "=1"), "not a word"),
        (("show", "cooking"), "unknown"),
        (("show", "java", "--save", "mine.txt"), "ends in .toml"),
        (("show", "java", "--save", "/nowhere/mine.toml"), "may write to"),
        (("show", "java", "--words", "0"), "from 1 on"),
    ],
)
def test_mistakes(run: Run, arguments: tuple[str, ...], words: str) -> None:
    done = run(Command(), *arguments)
    assert done.status == 2
    assert words in done.err


def test_words_of_a_bundled_topic(run: Run, tmp_path: Path) -> None:
    """They stand in a file of one's own, which extends it."""
    done = run(Command(), "strike", "java", "spring", "jdk")
    assert done.status == 0 and "rejudge java" in done.out
    run(Command(), "add", "java", "quarkus", "panama=0.5")
    topic = Topic.load("java", tmp_path)
    assert topic.path == tmp_path / "java.toml" and topic.struck == ("spring", "jdk")
    assert {"quarkus": 1.0, "panama": 0.5}.items() <= topic.keywords.items()
    assert "spring" in topic.struck and "jvm" in topic.keywords
    vector = topic.learn().vector
    assert vector is not None and {"quarkus", "panama", "jvm"} <= vector.weights.keys()
    assert not {"spring", "jdk"} & vector.weights.keys(), "though the texts have them"
    run(Command(), "add", "java", "spring")
    again = Topic.load("java", tmp_path)
    assert again.struck == ("jdk",) and again.keywords["spring"] == 1.0


def test_words_of_a_file(run: Run, tmp_path: Path) -> None:
    """Comments stay; words may be a list."""
    path = tmp_path / "tea.toml"
    path.write_text('# mine\nkeywords = ["茶叶", "绿茶", "Black Tea"]  # short\nseeds = ["http://a.example/"]\n')
    assert run(Command(), "strike", "tea", "绿茶", "black tea").status == 0
    assert run(Command(), "add", "tea", "普洱=0.8").status == 0
    topic = Topic.load("tea", tmp_path)
    assert topic.keywords == {"茶叶": 1.0, "普洱": 0.8}
    assert topic.struck == ("绿茶", "black tea") and topic.seeds == ("http://a.example/",)
    assert path.read_text().startswith("# mine\n")


def test_suggestions(run: Run, tmp_path: Path) -> None:
    """What pages of three hosts say and the topic does not; what it says and they do not."""
    (tmp_path / "spiders.toml").write_text('keywords = ["爬虫", "蜘蛛网"]\n', encoding="utf-8")
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "spiders")
    bodies = {
        "https://a.example/1": ("爬虫与种子", "收获率说明爬虫采到多少有用的网页，种子选得好，收获率就高。"),
        "https://b.example/1": ("优先队列", "爬虫先访问分数高的链接，用收获率来比较不同的排序办法。"),
        "https://c.example/1": ("怎样评价", "评价一个爬虫，看它的收获率，也看它漏掉了哪些主机。"),
        "https://d.example/1": ("渡口", "船工说，对岸也有人在写爬虫，写了三年没有写完。"),
        "https://d.example/2": ("船", "船工的船比爬虫还慢，但是船工从来不着急。"),
    }
    fill(crawl, bodies)
    crawl.database.close()
    done = run(Command(), "suggest", "spiders")
    assert done.status == 0, done.err
    gained, lost = done.out.split("Strong words")
    assert "     3  收获" in gained and "船工" not in gained and "爬虫\n" not in gained
    assert "蜘蛛网" in lost and "爬虫" not in lost.split("To take")[0]
    assert run(Command(), "accept", "spiders", "收获").status == 0
    assert Topic.load("spiders", tmp_path).keywords == {"爬虫": 1.0, "蜘蛛网": 1.0, "收获": 0.5}
    assert "收获\n" not in run(Command(), "suggest", "spiders").out
