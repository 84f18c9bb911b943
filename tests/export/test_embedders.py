"""Vectors of texts, by a model of seven words behind a server on this machine with OpenAI's embeddings interface."""

from __future__ import annotations

import numpy as np
import pytest
from scrapy.settings import Settings

from crawler.errors import SettingError
from tests.model_server import Asked, served
from zhuti.export.embedders import Server, VectorError, embedder, unit

MEANS = ("茶", "龙井", "碧螺春", "杯", "船", "球", "车")
TEA = MEANS[:4]


def vector(text: str) -> list[float]:
    """Tea is one direction, whatever its words."""
    tea, rest = sum(text.count(word) for word in TEA), [text.count(word) for word in MEANS[4:]]
    return [float(tea), *map(float, rest), 0.3 + len(text) % 7 * 0.01]


def tiny(question: Asked) -> object:
    """The rows in another order, as the interface allows."""
    return {"data": [{"index": n, "embedding": vector(text)} for n, text in enumerate(question["input"])][::-1]}


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
    with served(lambda _question: answer) as (url, _), pytest.raises(VectorError, match=words) as told:
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
    monkeypatch.setattr("zhuti.export.embedders.find_spec", lambda _name: None)
    with pytest.raises(SettingError, match=r"install 'zhuti\[models\]'"):
        embedder(Settings({"MODEL_URL": ""}))
