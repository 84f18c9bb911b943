"""What a topic's similarity means: the calibration, and the yardstick that it is made of."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from math import fsum, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from crawler.errors import ModelError
from crawler.reader.text.tokens import Tokenizer
from crawler.records import Extraction, similarity_of
from crawler.topic.calibration import Calibration, Evidence, Tagged, log_odds, nearness_of
from crawler.topic.embeddings import Embeddings
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from crawler.topic.vector import TopicVector, page_terms, read_vector, weighed
from crawler.topic.yardstick import Yardstick, columns, load_yardstick, save

TAGGED = Tagged(-1.0, 0.5, 0.4, 2.0, 1.0)
WORDS = ("tea", "kettle", "leaf", "boat", "sail", "harbour", "green")
SMALL = Embeddings({word: n for n, word in enumerate(WORDS)}, np.eye(7, 3, dtype=np.float32) + np.float32(0.1))
VECTOR = TopicVector({"tea": 1.0, "leaf": 0.5, "green tea": 0.8}, 0.4, SMALL, by_meaning=False)


PLAIN = Tokenizer()


def made(pages: list[tuple[str, str, str]], tagged: Tagged = TAGGED) -> Yardstick:
    """Of title, body and tags."""
    found = [(page_terms(PLAIN, Extraction(title, body)), set(PLAIN.tokens(tags))) for title, body, tags in pages]
    words = {word: n for n, word in enumerate(WORDS)}
    return Yardstick(
        words,
        columns(words, (terms.body for terms, _ in found)),
        columns(words, (terms.title for terms, _ in found)),
        columns(words, (dict.fromkeys(tags, 1) for _, tags in found)),
        np.array([sqrt(fsum(w * w for w in terms.damped().values())) for terms, _ in found]),
        np.array([float(len(terms.title)) for terms, _ in found]),
        np.array([float(len(tags)) for _, tags in found]),
        np.array([terms.latin for terms, _ in found]),
        np.array([terms.variety for terms, _ in found]),
        tagged,
    )


def tea_and_boats(teas: int, boats: int) -> Yardstick:
    tea = [("leaf", "tea leaf kettle " * (n % 5 + 1), "tea leaf") for n in range(teas)]
    return made(tea + [("sail", "boat harbour tea " * (n % 3 + 1), "boat") for n in range(boats)])


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=4), st.booleans())
def test_the_yardstick_sees_of_a_page_what_the_judge_sees(pages: list[tuple[str, str, str]], by_meaning: bool) -> None:
    vector = TopicVector({"tea": 1.0, "leaf": 0.5, "sail": 0.1}, 0.4, SMALL, by_meaning)
    shown = made(pages).shown(vector)
    for n, (title, body, tags) in enumerate(pages):
        page = weighed(page_terms(PLAIN, Extraction(title, body)), set(PLAIN.tokens(tags)))
        for name, value in vector.evidence(page)._asdict().items():
            assert getattr(shown, name)[n] == pytest.approx(value, abs=1e-6), name


def test_a_phrase_stands_where_all_its_words_do() -> None:
    shown = made([("", "green tea", "boat"), ("", "green leaf", "boat"), ("", "tea", "green tea")]).shown(VECTOR)
    without = made([("", "green tea", "boat")]).shown(replace(VECTOR, weights={"tea": 1.0, "leaf": 0.5}))
    assert shown.text[0] > shown.text[1]
    assert shown.tags[2] > shown.tags[0] == without.tags[0] == 0.0


def test_what_tags_say_teaches_what_words_in_a_text_mean() -> None:
    """Every page of boats has the word tea too."""
    one = tea_and_boats(300, 300).calibrated(VECTOR)
    boats = weighed(page_terms(PLAIN, Extraction("sail", "boat harbour tea")), set())
    teas = weighed(page_terms(PLAIN, Extraction("leaf", "tea leaf kettle")), set())
    assert similarity_of(one.calibrated(boats)) < similarity_of(VECTOR.calibrated(boats))
    assert similarity_of(one.calibrated(teas)) > 0.5


@pytest.mark.parametrize(("word", "teas", "struck", "learned"), [
    ("tea", 9, ["sail"], {"kettle", "leaf"}),  # words of the posts that it finds; what is struck stays out
    ("tea", 9, ["sail", "Kettle", "leaf"], set()),
    ("boat", 0, [], {"harbour", "sail", "tea"}),
    ("kettle", 0, [], set()),  # no post is found: the topic stays as it is
])  # fmt: skip
def test_a_topic_of_few_words_learns_more(word: str, teas: int, struck: list[str], learned: set[str]) -> None:
    said = TopicVector({word: 0.8}, 0.07, SMALL)
    found = tea_and_boats(teas, 9).widened(said, struck)
    assert found.weights.keys() - {word} >= learned and not found.weights.keys() & {term.lower() for term in struck}
    assert found.weights[word] == 0.8 and all(0 < found.weights[term] <= 0.2 for term in found.weights if term != word)
    assert (found is said) == (not learned and not struck)


def test_without_examples_similarity_stays_the_chance() -> None:
    found = made([("sail", "boat harbour", "boat")] * 50).calibration(VECTOR)
    assert found.examples < 0.1
    assert (found.text, found.base) == pytest.approx((1.0, 0.0), abs=0.05)


def test_the_same_topic_gives_the_same_digits() -> None:
    assert tea_and_boats(20, 30).calibration(VECTOR) == tea_and_boats(20, 30).calibration(VECTOR)


def test_pages_with_tags_have_a_formula_of_their_own() -> None:
    calibration = Calibration(-0.5, 1.0, 0.25, 2.0, -0.5, 0.25, 10.0, TAGGED)
    text = Evidence(1.0, 0.4, 0.5, latin=0.5, variety=1.0)
    assert calibration.log_odds(text) == pytest.approx(1.6)
    assert calibration.log_odds(text._replace(all=2.0, tags=0.5, tags_meaning=0.25)) == pytest.approx(1.85)
    assert calibration.log_odds(text._replace(latin=1.0)) == pytest.approx(1.35)


@given(st.floats(-25, 25))
def test_nearness_and_log_odds(odds: float) -> None:
    assert log_odds(nearness_of(odds)) == pytest.approx(max(odds, log_odds(0.0)), abs=1e-9)


def test_it_is_kept_with_what_was_learned(tmp_path: Path) -> None:
    path = tmp_path / "tea.toml"
    path.write_text("keywords = ['green tea', 'kettle']", encoding="utf-8")
    learned = Topic.load(path).learn()
    learned.save_learned()
    assert learned.vector is not None
    assert learned.vector.calibration is not None
    again = Topic.load(path)
    assert again.vector is not None
    assert again.vector.calibration == learned.vector.calibration
    page = Extraction("green tea", "kettle and leaf")
    assert Judge(again).judge(page) == Judge(learned).judge(page)


@pytest.mark.parametrize("damage", [{"base": "much"}, {"text": float("nan")}, {"tagged": {}}, {"title": None}])
def test_a_damaged_calibration_is_learned_again(tmp_path: Path, damage: dict[str, object]) -> None:
    path = tmp_path / "tea.toml"
    path.write_text("keywords = ['tea']", encoding="utf-8")
    topic = Topic.load(path).learn()
    topic.save_learned()
    record = json.loads(topic.learned_path.read_text(encoding="utf-8"))
    record["calibration"] |= damage
    topic.learned_path.write_text(json.dumps(record), encoding="utf-8")
    assert read_vector(topic.learned_path) is None


def test_what_an_older_program_learned_judges_as_before(tmp_path: Path) -> None:
    path = tmp_path / "tea.learned.json"
    path.write_text(json.dumps({"topic": "tea", "digest": "d", "unit": 0.2, "terms": {"tea": 1.0}}), encoding="utf-8")
    vector = read_vector(path)
    assert vector is not None
    page = weighed(page_terms(PLAIN, Extraction("tea", "leaf")), {"boat"})
    assert vector.calibrated(page) == vector.nearness(page.whole)
    assert vector.shift(page) == 0.0


def test_a_calibration_of_an_older_program_weighs_no_kind_of_text() -> None:
    calibration = Calibration(-0.5, 1.0, 0.25, 2.0, -0.5, 0.25, 10.0, TAGGED)
    older = {name: value for name, value in calibration.written().items() if name not in ("latin", "variety")}
    assert Calibration.read(older) == replace(calibration, latin=0.0, variety=0.0)


@pytest.mark.parametrize(
    ("body", "latin", "variety"),
    [("", 0.0, 0.0), ("tea tea leaf", 1.0, 2 / 3), ("茶叶 茶叶 kettle 山水", 0.25, 0.75), ("お茶 kettle", 0.5, 1.0)],
)
def test_what_kind_of_text_a_body_is(body: str, latin: float, variety: float) -> None:
    terms = page_terms(PLAIN, Extraction("green tea", body))
    assert (terms.latin, terms.variety) == pytest.approx((latin, variety))


def test_the_file(tmp_path: Path) -> None:
    path, yardstick = tmp_path / "y.npz", tea_and_boats(3, 4)
    save(yardstick, path)
    assert load_yardstick(path).calibration(VECTOR).text == pytest.approx(yardstick.calibration(VECTOR).text, rel=1e-4)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken"])
def test_a_broken_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "y.npz"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"y\.npz .*train yardstick"):
        load_yardstick(path)


def test_another_version(tmp_path: Path) -> None:
    path = tmp_path / "y.npz"
    save(tea_and_boats(1, 1), path)
    with zipfile.ZipFile(path, "a") as file:
        assert "version.npy" in file.namelist()
    with np.load(path) as kept:
        np.savez(path, **(dict(kept) | {"version": np.array("0")}))
    with pytest.raises(ModelError, match="version 0 instead of 2"):
        load_yardstick(path)


BAD = {
    "of stop words": "的 了 和 the of",
    "of one letter": "a",
    "in a language without words in the table": "кошка собака лошадь",
    "of ten thousand words": " ".join(f"word{n}" for n in range(10_000)),
    "of two contradictory sentences": "只要绿茶。不要绿茶，要机器学习。",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_odd_topics_are_refused_or_calibrated(tmp_path: Path, text: str) -> None:
    from crawler.errors import TopicError

    path = tmp_path / "odd.toml"
    path.write_text(f"texts = [{json.dumps(text, ensure_ascii=False)}]", encoding="utf-8")
    try:
        topic = Topic.load(path).learn()
    except TopicError as error:
        assert "no words" in str(error)
        return
    judge = Judge(topic)
    for body in ("", "1 2 3 4 5 6 7 8 9", text):
        assert 0.0 <= judge.judge(Extraction("", body)).similarity < 1.0


@pytest.mark.parametrize("body", ["茶" * 500_000, "a line without end " * 25_000, "12345 " * 80_000])
def test_odd_pages(body: str) -> None:
    judge = Judge(Topic.load("java").learn())
    assert judge.judge(Extraction("", body), ("",)).similarity < 0.1


def test_a_stuffed_page_is_no_nearer_than_it_was() -> None:
    """A page of the topic's words alone, and one whose tags are the topic's words while its text is about tea."""
    topic = Topic.load("java").learn()
    assert topic.vector is not None
    judge, before = Judge(topic), Judge(replace(topic, vector=replace(topic.vector, calibration=None)))
    words = " ".join(topic.vector.heaviest(100))
    tea = Extraction("茶", "今天泡了一壶绿茶，茶叶是春天采的，水要烧到八十度。" * 20)
    for page, tags in ((tea, tuple(words.split()[:30])), (replace(tea, body=tea.body + words), ())):
        assert judge.judge(page, tags).on_topic <= before.judge(page, tags).on_topic
