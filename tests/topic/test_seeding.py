"""Seeds written into a topic file: all else of it stays."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from crawler.bundled import TOPICS
from crawler.errors import TopicError
from crawler.topic.file_writer import add_seeds
from crawler.topic.files import Topic

FILES = [
    ('seeds = ["http://a/"] # few\n', 'seeds = ["http://a/",\n    "http://n/",\n] # few\n'),
    ('seeds = [\n    "http://a/",  # one\n    # two\n]\n', '    "http://a/",  # one\n    # two\n    "http://n/",\n'),
    ('seeds = [\n    "http://a/"\n]\n', 'seeds = [\n    "http://a/",\n    "http://n/",\n]\n'),
    ("seeds = []\n", 'seeds = [\n    "http://n/",\n]\n'),
    ('# 茶\n[keywords]\n"茶" = 1\n', 'seeds = [\n    "http://n/",\n]\n\n[keywords]\n"茶" = 1\n'),
    ('\ufeffkeywords = ["茶"]\r\n', '"http://n/"'),
]


@pytest.mark.parametrize(("before", "part"), FILES)
def test_files(tmp_path: Path, before: str, part: str) -> None:
    path = tmp_path / "tea.toml"
    path.write_text(before, encoding="utf-8", newline="")
    add_seeds(Topic("tea", path), ["http://n/"])
    after = path.read_text(encoding="utf-8")
    assert part in after
    old, new = tomllib.loads(before.removeprefix("\ufeff")), tomllib.loads(after)
    assert new.pop("seeds") == [*old.pop("seeds", []), "http://n/"]
    assert new == old
    assert all(comment in after for comment in ("# few", "# one", "# two", "# 茶") if comment in before)
    add_seeds(Topic("tea", path), ["http://o/", "http://p/"])
    assert tomllib.loads(path.read_text(encoding="utf-8"))["seeds"][-3:] == ["http://n/", "http://o/", "http://p/"]
    assert [file.name for file in tmp_path.iterdir()] == ["tea.toml"]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match=r"cannot be used .*rights"):
        add_seeds(Topic("folder", tmp_path), ["http://n/"])


def test_a_bundled_topic_is_extended(tmp_path: Path) -> None:
    path = add_seeds(Topic.load("java", tmp_path), ["http://n/"], tmp_path)
    assert path == tmp_path / "java.toml"
    extended = Topic.load("java", tmp_path)
    assert extended.seeds == ("http://n/",) and extended.keywords == Topic.load("java", TOPICS).keywords
    add_seeds(extended, ["http://n/", "http://o/"], tmp_path)
    assert Topic.load("java", tmp_path).seeds == ("http://n/", "http://o/")
