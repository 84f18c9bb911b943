"""What pages mean, by a model of seven words behind a server on this machine with OpenAI's embeddings interface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scrapy.settings import Settings
from sqlalchemy import func, select

from crawler.database.database import Database
from crawler.database.schema import judgements, meanings, pages
from crawler.errors import CrawlerError, SettingError
from crawler.labels.judge_again import has_moved
from crawler.records import Extraction, Outcome, Visit
from crawler.topic.files import Topic, of_sentence
from crawler.topic.judge import Judge
from tests.crawls import Crawl, analysis
from tests.model_server import Asked, served
from zhuti.meaning.combined import (
    DOUBTFUL,
    OF_SENTENCE,
    OF_WORDS,
    Meaning,
    MeaningJudge,
    is_doubtful,
    shown,
    subjects,
    texts_of,
)
from zhuti.meaning.embedders import MeaningError, Server, embedder, unit
from zhuti.meaning.kept import packed, unpacked, version_of
from zhuti.meaning.rejudge import rejudge

MEANS = ("茶", "龙井", "碧螺春", "杯", "船", "球", "车")
TEA = MEANS[:4]
SAID = "水烧开后放进龙井，再放碧螺春，倒进杯子，绿茶要等三分钟，窗外下着雨，朋友说起旧事。"
BOAT = "船离开渡口，绿茶凉了，车在岸上，孩子踢着球，船上的人看着远处的山，雨下了一夜。"
TAGGED = "杯子里的绿茶还热着，龙井和碧螺春放在桌上，朋友从远处来，说起去年的雨。"
OTHER = "会议开了两个小时，报告写了三页，下午去银行办手续，晚上回家做饭，看了一会儿书。"


def vector(text: str) -> list[float]:
    """Tea is one direction, whatever its words."""
    tea, rest = sum(text.count(word) for word in TEA), [text.count(word) for word in MEANS[4:]]
    return [float(tea), *map(float, rest), 0.3 + len(text) % 7 * 0.01]


def tiny(question: Asked) -> object:
    """The rows in another order, as the interface allows."""
    return {"data": [{"index": n, "embedding": vector(text)} for n, text in enumerate(question["input"])][::-1]}


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    path = tmp_path / "tea.toml"
    path.write_text('description = "茶和龙井、碧螺春"\nkeywords = ["绿茶"]\n', encoding="utf-8")
    return Topic.load(path).learn()


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}", "tea")
    bodies = {"https://said.example/": SAID, "https://boat.example/": BOAT, "https://other.example/": OTHER}
    bodies["https://tagged.example/"] = TAGGED
    crawl.frontier.seed([*bodies], now=0)
    found = [(claim, analysis(bodies[claim.url], {}, title="一天")) for claim in crawl.claim()]
    tagged = [(claim, replace(one, subjects=("雨",)) if "tagged" in claim.url else one) for claim, one in found]
    crawl.store.commit([Visit(claim, Outcome.KEPT, 1.0, 200, analysis=one) for claim, one in tagged])
    yield crawl
    crawl.database.close()


def settings_of(tmp_path: Path, url: str) -> Settings:
    store = f"sqlite:///{tmp_path / 'harvest.db'}"
    named = {"STORE_URL": store, "TOPICS_DIR": str(tmp_path), "MODEL_URL": url, "MODEL_NAME": "tiny"}
    return Settings({**named, "SEGMENTER": "auto", "PAGE_JUDGE": ""})


def nearness(database: Database) -> dict[str, float]:
    with database.transaction() as connection:
        query = select(pages.c.url, judgements.c.nearness).join(judgements, judgements.c.page_id == pages.c.id)
        return {row.url: row.nearness for row in connection.execute(query)}


def test_doubtful_pages_are_judged_by_what_they_mean_and_asked_about_once(
    crawl: Crawl, topic: Topic, tmp_path: Path
) -> None:
    by_words = {url: Judge(topic).judge(Extraction("一天", body)) for url, body in (("s", SAID), ("b", BOAT))}
    assert all(is_doubtful(one, ()) for one in by_words.values()), "or the test asks about nothing"
    crawl.database.close()
    with served(tiny) as (url, asked):
        told = rejudge("tea", settings_of(tmp_path, url))
        assert "4 pages judged for tea, 2 new ones shown to tiny" in told
        texts = [text for question in asked for text in question["input"]]
        assert {shown("一天", SAID), shown("一天", BOAT)} <= set(texts)
        assert not {shown("一天", TAGGED), shown("一天", OTHER)} & set(texts), "tags say it, and no word of the topic"
        asked.clear()
        assert "0 new ones" in rejudge("tea", settings_of(tmp_path, url))
        assert [len(question["input"]) for question in asked] == [2 + len(subjects())], "only the topic itself"
    crawl.open()
    now = nearness(crawl.database)
    assert now["https://said.example/"] > now["https://boat.example/"]
    rows = unit(np.array([vector(text) for text in (*texts_of(topic), *subjects())]))
    meaning = Meaning("tiny", unit(rows[:2].mean(axis=0, keepdims=True))[0], rows[2:])
    for place, body, name in (("https://said.example/", SAID, "s"), ("https://boat.example/", BOAT, "b")):
        page = unpacked(packed(unit(np.array([vector(shown("一天", body))]))[0]))
        assert now[place] == pytest.approx(OF_WORDS.nearness(by_words[name].nearness, meaning.of(page)), rel=1e-4)
    with crawl.database.transaction() as connection:
        assert connection.execute(select(func.count()).select_from(meanings)).scalar() == 2
        assert not has_moved(connection, 1, Judge(topic)), "a model's verdicts are none of another topic"


def test_without_a_vector_words_decide(topic: Topic) -> None:
    meaning = Meaning("tiny", np.ones(2), np.eye(2))
    page = Extraction("一天", SAID)
    assert MeaningJudge(topic, meaning, {}).judge(page) == Judge(topic).judge(page)
    vectors = {version_of(shown("一天", SAID)): packed(np.array([0.6, 0.8], np.float32))}
    assert MeaningJudge(topic, meaning, vectors).judge(page) != Judge(topic).judge(page)
    assert MeaningJudge(topic, meaning, vectors).judge(page, ["雨"]) == Judge(topic).judge(page, ["雨"])
    assert DOUBTFUL[0] < topic.threshold < DOUBTFUL[1]


@given(st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=50).filter(lambda row: max(map(abs, row)) > 1e-3))
def test_a_kept_vector_points_where_it_did(row: list[float]) -> None:
    whole = unit(np.array([row], np.float32))[0]
    assert len(packed(whole)) == len(row)
    assert float(whole @ unpacked(packed(whole))) > 0.99


BAD = [
    (500, "status 500"),
    (b"no json", "the expected form"),
    ({"data": []}, "the expected form"),
    ({"data": [{"index": 0, "embedding": [1.0, "x"]}]}, "the expected form"),
    ({"data": [{"index": 0, "embedding": []}]}, "the expected form"),
    ({"data": [{"index": 0, "embedding": [0.0, 0.0]}]}, "zero or infinite"),
    ({"data": [{"index": 0, "embedding": [float("inf"), 0.0]}]}, "zero or infinite"),
    ([1], "the expected form"),
]


@pytest.mark.parametrize(("answer", "words"), BAD)
def test_an_answer_that_cannot_be_used_is_told(answer: object, words: str) -> None:
    with served(lambda _question: answer) as (url, _), pytest.raises(MeaningError, match=words) as told:
        Server(url, "tiny").vectors(["茶"])
    assert "check MODEL_URL, MODEL_NAME and MODEL_KEY" in str(told.value)


def test_the_key_goes_as_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "s3cret")
    with served(tiny) as (url, asked):
        rows = Server(f"{url}/", "tiny").vectors(["茶", "船"])
    assert [asked[0][name] for name in ("path", "model", "key")] == ["/v1/embeddings", "tiny", "Bearer s3cret"]
    assert np.allclose(rows, unit(np.array([vector("茶"), vector("船")], np.float32)))


SETTINGS = [
    ({"MODEL_URL": "ftp://a.example", "MODEL_NAME": "m"}, "is not an address"),
    ({"MODEL_URL": "http://127.0.0.1:1/v1", "MODEL_NAME": ""}, "MODEL_NAME is empty"),
]


@pytest.mark.parametrize(("values", "words"), SETTINGS)
def test_settings_that_cannot_be_used(values: dict[str, str], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        embedder(Settings(values))


def test_without_a_model_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zhuti.meaning.embedders.find_spec", lambda _name: None)
    with pytest.raises(SettingError, match=r"install 'zhuti\[models\]'"):
        embedder(Settings({"MODEL_URL": ""}))


def test_a_server_that_is_away_loses_nothing(crawl: Crawl, topic: Topic, tmp_path: Path) -> None:
    before = nearness(crawl.database)
    crawl.database.close()
    with pytest.raises(CrawlerError, match="does not answer"):
        rejudge("tea", settings_of(tmp_path, "http://127.0.0.1:9/v1"))
    crawl.open()
    assert nearness(crawl.database) == before


def test_what_a_topic_is_to_a_model(tmp_path: Path, topic: Topic) -> None:
    assert texts_of(topic) == ["茶和龙井、碧螺春", "绿茶"]
    assert texts_of(replace(topic, description="")) == ["绿茶"]
    assert texts_of(Topic("tea", tmp_path, title="茶")) == ["茶"]
    sentence = of_sentence(Topic("tea", tmp_path), "茶和龙井").learn()
    assert texts_of(sentence) == ["茶和龙井"]
    with served(tiny) as (url, _):
        model = Server(url, "tiny")
        assert Meaning.learned(topic, model).weights == OF_WORDS
        assert Meaning.learned(sentence, model).weights == OF_SENTENCE
