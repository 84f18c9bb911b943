from __future__ import annotations

from pathlib import Path

import pytest

from crawler.commands.topic import Command
from crawler.topic.files import Topic
from tests.commands.conftest import Run


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
    assert f"scrapy rejudge {path}" in saved.out
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
        (("strike", "java", "茶叶"), "茶叶 is no word of topic 'java'"),
        (("add", "java", "jvm=2"), "at most 1"),
        (("add", "java", "jvm=x"), "at most 1"),
        (("add", "java", "=1"), "no word"),
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
    assert "spring" not in topic.keywords and "jvm" in topic.keywords
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
