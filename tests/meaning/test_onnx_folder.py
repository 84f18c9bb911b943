"""A folder with a model of sentences: models of one layer, written here byte by byte, and a tokenizer of characters."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest
from scrapy.settings import Settings

from crawler.errors import SettingError
from zhuti.meaning.embedders import MeaningError, embedder
from zhuti.meaning.onnx_folder import AT_ONCE, name_of, vectors_of

pytest.importorskip("onnxruntime", reason="pip install zhuti[onnx]")
tokenizers = pytest.importorskip("tokenizers", reason="pip install zhuti[onnx]")

WORDS = ("[PAD]", "[CLS]", "茶", "船", "雨")
TABLE = np.array([[9, 9, 9], [5, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)  # a row a word
FLOAT, INT64, INTS, INT = 1, 7, 7, 2  # of ONNX: kinds of numbers, kinds of attributes


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """In the form of Protocol Buffers: numbers of fields with their values."""
    return b"".join(
        varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + packed(value)
        for number, value in fields
    )


def packed(value: str | bytes) -> bytes:
    content = value.encode() if isinstance(value, str) else value
    return varint(len(content)) + content


def place(name: str, kind: int, axes: Iterable[str]) -> bytes:
    shape = message(*((1, message((2, axis))) for axis in axes))
    return message((1, name), (2, message((1, message((1, kind), (2, shape))))))


def model(*, whole: bool = False) -> bytes:
    """The row of the table for each token; `whole`: also the largest number of each column, as the text's vector."""
    nodes = [message((1, "table"), (1, "input_ids"), (2, "last_hidden_state"), (4, "Gather"))]
    outputs = [place("last_hidden_state", FLOAT, ("texts", "tokens", "numbers"))]
    if whole:
        axes, keep = message((1, "axes"), (20, INTS), (8, 1)), message((1, "keepdims"), (20, INT), (3, 0))
        largest = [(1, "last_hidden_state"), (2, "sentence_embedding"), (4, "ReduceMax"), (5, axes), (5, keep)]
        nodes.append(message(*largest))
        outputs.append(place("sentence_embedding", FLOAT, ("texts", "numbers")))
    table = message((1, len(WORDS)), (1, TABLE.shape[1]), (2, FLOAT), (8, "table"), (9, TABLE.tobytes()))
    inputs = [place(name, INT64, ("texts", "tokens")) for name in ("input_ids", "attention_mask")]
    parts = (
        [(1, node) for node in nodes] + [(5, table)] + [(11, one) for one in inputs] + [(12, one) for one in outputs]
    )
    return message((1, 8), (8, message((2, 13))), (7, message(*parts, (2, "tiny"))))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "tiny"
    place.mkdir()
    vocabulary = tokenizers.models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="雨")
    tokenizer = tokenizers.Tokenizer(vocabulary)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex("."), "isolated")
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing("[CLS] $A", special_tokens=[("[CLS]", 1)])
    tokenizer.save(str(place / "tokenizer.json"))
    (place / "model.onnx").write_bytes(model())
    return place


def rows(text: str) -> np.ndarray:
    return TABLE[[1, *(WORDS.index(word) for word in text)]]


class Pickling:
    """In place of a process, which takes seconds: what goes there and comes back goes through pickle."""

    def __init__(self, *_settings: object, **_named: object) -> None:
        """As many processes as wanted are none."""

    def submit(self, *call: object) -> Future[object]:
        function, *arguments = pickle.loads(pickle.dumps(call))
        answer: Future[object] = Future()
        try:
            answer.set_result(pickle.loads(pickle.dumps(function(*arguments))))
        except Exception as error:
            answer.set_exception(pickle.loads(pickle.dumps(error)))
        return answer

    def shutdown(self, **_named: object) -> None:
        """Nothing is open."""


TEXTS = ["茶", "茶茶船雨", "雨船", *["船茶"] * AT_ONCE]


def test_a_text_is_the_mean_of_its_tokens_without_the_padding(folder: Path) -> None:
    assert np.allclose(vectors_of(folder, TEXTS), [rows(text).mean(axis=0) for text in TEXTS])


def test_or_what_its_first_token_says(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": True}), encoding="utf-8")
    assert np.allclose(vectors_of(folder, TEXTS), [TABLE[1]] * len(TEXTS))


def test_or_what_the_model_calls_the_sentences_vector(folder: Path) -> None:
    (folder / "model.onnx").unlink()
    (folder / "onnx").mkdir()
    (folder / "onnx/model.onnx").write_bytes(model(whole=True))
    assert np.allclose(vectors_of(folder, ["茶船"]), [rows("茶船").max(axis=0)])


def test_texts_longer_than_the_model_takes_are_cut(folder: Path) -> None:
    text = "茶" * 511 + "船" * 500
    assert np.allclose(vectors_of(folder, [text]), [rows("茶" * 511).mean(axis=0)])


def test_asked_as_in_a_process_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zhuti.meaning.embedders.ProcessPoolExecutor", Pickling)
    asked = embedder(Settings({"MEANING_URL": "", "MEANING_MODEL": str(folder)}))
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(MeaningError, match=r"the model tiny-\w+ cannot be used \(.*\); give another one"):
        asked.vectors(["茶"])
    (folder / "model.onnx").write_bytes(model())
    mean = rows("茶雨船").mean(axis=0)
    found = asked.vectors(["茶\0船"])
    asked.close()
    assert np.allclose(found, mean / np.linalg.norm(mean)), "a NUL is a blank, which this tokenizer takes for rain"


def test_models_of_one_folder_have_names_of_their_own(folder: Path) -> None:
    before = name_of(folder)
    (folder / "model.onnx").write_bytes(model(whole=True))
    assert before.startswith("tiny-")
    assert name_of(folder) != before


@pytest.mark.parametrize(("missing", "told"), [("tokenizer.json", r"tokenizer\.json"), ("model.onnx", r"model\.onnx")])
def test_a_folder_that_lacks_a_file(folder: Path, missing: str, told: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(SettingError, match=f"MEANING_MODEL=.*tiny lacks {told}; give a folder"):
        embedder(Settings({"MEANING_URL": "", "MEANING_MODEL": str(folder)}))


def test_packages_that_are_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zhuti.meaning.onnx_folder.find_spec", lambda _name: None)
    with pytest.raises(SettingError, match=r"needs onnxruntime tokenizers; install zhuti\[onnx\]"):
        name_of(folder)
