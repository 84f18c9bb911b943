"""Labels: what counts as harvest, whatever the address a page was fetched by."""

import json
from pathlib import Path

import pytest

from lab.errors import ReplayError
from lab.links.labels import Labels

ROWS = [
    {"url": "http://a.example/p/", "kind": "post", "topics": ["maths", "ml"]},
    {"url": "http://a.example/old.html", "kind": "post", "topics": ["ml"], "title": "anything"},
    {"url": "http://a.example/tags/ml/", "kind": "tag", "topics": ["ml"]},
    {"url": "http://a.example/分类/", "kind": "tag", "topics": []},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_only_posts_are_harvest_under_the_topics_own_name(file: Path) -> None:
    labels = Labels.load(file, {"ml": "machine-learning"})
    assert labels.harvest("machine-learning") == 2
    assert labels.harvest("ml") == 0
    assert labels.harvest("maths") == 1


@pytest.mark.parametrize(
    ("url", "labelled"),
    [
        ("http://a.example/p/", "http://a.example/p/"),
        ("http://a.example/p/index.html", "http://a.example/p/"),
        ("http://a.example/old", "http://a.example/old.html"),
        ("http://a.example/%E5%88%86%E7%B1%BB/", "http://a.example/%E5%88%86%E7%B1%BB/"),
    ],
)
def test_addresses(file: Path, url: str, labelled: str) -> None:
    label = Labels.load(file, {}).of(url)
    assert label is not None
    assert label.url == labelled


def test_unknown_address(file: Path) -> None:
    assert Labels.load(file, {}).of("http://b.example/") is None


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", '{"url": "ftp://a.example/", "kind": "post", "topics": []}', '{"url": 3}']
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(ROWS[0]) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(ReplayError, match="line 2: is not a label"):
        Labels.load(path, {})


def test_blank_lines_are_none(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(f"\n{json.dumps(ROWS[0])}\n\n", encoding="utf-8")
    assert len(list(Labels.load(path, {}))) == 1


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="cannot be read"):
        Labels.load(tmp_path / "none.jsonl", {})


def test_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(ReplayError, match="unpacked"):
        Labels.load(path, {})
