import json
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from crawler.errors import TopicError
from crawler.records import Extraction
from crawler.topic import learn, vector
from crawler.topic.files import Topic
from crawler.topic.learn import Description
from crawler.topic.vector import FIRST_LEARNER, TopicVector, read_vector, write_vector

CONTENT = "texts = ['绿茶、红茶与乌龙茶的冲泡', '茶叶的发酵与冲泡']\nkeywords = ['茶叶']"
PAGES = [Description(Extraction(body="绿茶的冲泡"))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tea.toml"
    path.write_text(CONTENT, encoding="utf-8")
    return path


def test_what_was_learned_is_loaded_with_the_topic(path: Path) -> None:
    assert Topic.load(path).vector is None
    learned = Topic.load(path).learn()
    learned.save_learned()
    assert Topic.load(path) == learned


def test_the_file_is_json_with_the_strongest_term_first(path: Path) -> None:
    Topic.load(path).learn().save_learned()
    record = json.loads(path.with_name("tea.learned.json").read_text(encoding="utf-8"))
    assert record["topic"] == "tea"
    assert next(iter(record["terms"])) == "茶叶"


@pytest.mark.parametrize(
    ("edit", "kept"),
    [
        (CONTENT.replace("红茶", "白茶"), False),
        (CONTENT.replace("['茶叶']", "['茶叶', '茶具']"), False),
        (CONTENT + "\nthreshold = 0.5", True),
        ("# a comment\n" + CONTENT + "\nseeds = ['https://a.example/']", True),
    ],
)
def test_an_edited_meaning_is_learned_again(path: Path, edit: str, kept: bool) -> None:
    Topic.load(path).learn().save_learned()
    path.write_text(edit, encoding="utf-8")
    assert (Topic.load(path).vector is not None) is kept


def test_an_edited_describing_page_is_learned_again(tmp_path: Path) -> None:
    page, path = tmp_path / "about.html", tmp_path / "tea.toml"
    page.write_text("茶", encoding="utf-8")
    path.write_text("pages = ['about.html']\nkeywords = ['茶']", encoding="utf-8")
    Topic.load(path).learn().save_learned()
    assert Topic.load(path).vector is not None
    page.write_text("红茶", encoding="utf-8")
    assert Topic.load(path).vector is None


def test_a_topic_of_seeds_is_kept_too(tmp_path: Path) -> None:
    seeds = ["https://a.example/"]
    learned = Topic.from_seeds("tea", seeds, tmp_path).learn(PAGES)
    learned.save_learned()
    assert Topic.from_seeds("tea", seeds, tmp_path) == learned
    assert Topic.from_seeds("tea", ["https://b.example/"], tmp_path).vector is None


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"digest": 3}', "null", pytest.param("[" * 200_000, id="nested")])
def test_a_damaged_file_is_learned_again(path: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    Topic.load(path).learn().save_learned()
    path.with_name("tea.learned.json").write_text(damage, encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert Topic.load(path).vector is None


def test_nothing_learned_cannot_be_saved(path: Path) -> None:
    with pytest.raises(TopicError, match="is not learned yet"):
        Topic.load(path).save_learned()


def test_an_unwritable_place_is_named(tmp_path: Path, path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    topic = Topic.from_seeds("tea", ["https://a.example/"], blocked)
    with pytest.raises(TopicError, match=r"tea\.learned\.json cannot be used .*; correct its name or its rights"):
        topic.learn(PAGES).save_learned()


def test_workers_that_learn_at_once(tmp_path: Path) -> None:
    """Each writes the same file; none may take another's half of it away."""
    path, vector = tmp_path / "t.learned.json", TopicVector({f"词{n}": 1.0 for n in range(500)}, 1.0)

    def work(_: int) -> None:
        for _ in range(20):
            write_vector(path, "t", "digest", vector)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert read_vector(path, "digest") == vector
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "damage",
    [
        {"unit": 0},
        {"unit": float("nan")},
        {"unit": 2},
        {"terms": {}},
        {"terms": {"茶": -1}},
        {"terms": {"茶": float("inf")}},
        {"terms": {"茶": 10**400}},
    ],
    ids=str,
)
def test_numbers_out_of_range_are_damage(tmp_path: Path, damage: dict[str, object]) -> None:
    """Similarities would be divided by zero, or not be numbers."""
    record = {"digest": "digest", "unit": 0.2, "terms": {"茶": 1.0}}
    path = tmp_path / "t.learned.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    assert read_vector(path, "digest") == TopicVector({"茶": 1.0}, 0.2)
    path.write_text(json.dumps(record | damage), encoding="utf-8")
    assert read_vector(path, "digest") is None


def test_another_learning_learns_again_what_was_learned(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Topic.load(path).learn().save_learned()
    assert Topic.load(path).vector is not None
    for name, value in [("DILUTION", 0.6), ("LEARNED_TERMS", 5), ("MIN_COHERENCE", 0.3)]:
        with monkeypatch.context() as patch:
            patch.setattr(learn, name, value)
            learn.learner.cache_clear()
            assert Topic.load(path).vector is None
    learn.learner.cache_clear()
    assert Topic.load(path).vector is not None


def test_a_file_of_before_0_3_does_not_say_who_has_learned_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Topic.load(path).learn().save_learned()
    file = Topic.load(path).learned_path
    record = json.loads(file.read_text("utf-8"))
    del record["learner"]
    file.write_text(json.dumps(record), "utf-8")
    assert (Topic.load(path).vector is not None) is (learn.learner() == FIRST_LEARNER)
    monkeypatch.setattr(vector, "FIRST_LEARNER", "another")
    assert Topic.load(path).vector is None
