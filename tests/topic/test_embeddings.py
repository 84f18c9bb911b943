from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from crawler.errors import ModelError
from crawler.topic.embeddings import Embeddings, load_embeddings, save
from crawler.topic.vector import ALIKE, TopicVector

SMALL = Embeddings({"tea": 0, "pot": 1, "disk": 2}, np.array([[1.0, 0.0], [0.8, 0.6], [-1.0, 0.0]], np.float32))
TOPIC = TopicVector({"tea": 1.0, "unheard": 1.0}, 0.5, SMALL)


def test_nearness_is_the_mean_of_words_and_directions() -> None:
    page = {"unheard": 1.0, "pot": 1.0}
    assert TOPIC.by_words(page) == pytest.approx(1.0)
    assert TOPIC.nearness(page) == pytest.approx(sqrt(1.0 * 0.8 / ALIKE))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ({"unheard": 1.0}, sqrt(2.0)),  # no word of the table: by words alone
        ({"pot": 1.0}, 0.0),  # no word of the topic
        ({"unheard": 1.0, "disk": 1.0}, 0.0),  # points the other way
        ({}, 0.0),
    ],
)
def test_the_ends(page: dict[str, float], expected: float) -> None:
    assert TOPIC.nearness(page) == pytest.approx(expected)


def test_a_topic_without_known_words_goes_by_words() -> None:
    topic = TopicVector({"unheard": 1.0}, 1.0, SMALL)
    assert topic.nearness({"unheard": 1.0, "tea": 1.0}) == pytest.approx(sqrt(0.5))


def test_the_rows_of_terms() -> None:
    assert SMALL.of(["disk", "unheard"]).tolist() == [[-1.0, 0.0], [0.0, 0.0]]


def test_they_are_kept_in_a_file(tmp_path: Path) -> None:
    save(SMALL, tmp_path / "embeddings.npz")
    found = load_embeddings(tmp_path / "embeddings.npz")
    assert found.rows == SMALL.rows
    assert found.table == pytest.approx(SMALL.table, abs=1e-3)  # half precision


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 and no more", b"no model"])
def test_a_broken_file_is_told_in_a_sentence(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "embeddings.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=r"embeddings.npz is not a model .*python -m lab train background"):
        load_embeddings(path)


def test_a_file_of_another_version_is_told(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.npz"
    np.savez(path, version=np.array("0"), words=np.frombuffer(b"a", np.uint8), table=np.ones((1, 2)))
    with pytest.raises(ModelError, match="version 0 instead of"):
        load_embeddings(path)


def test_those_that_come_with_the_project_know_what_belongs_together() -> None:
    found = load_embeddings()
    one, near, far = (found.direction({word: 1.0}) for word in ("神经网络", "梯度", "旅行"))
    assert one is not None and near is not None and far is not None
    assert one @ near > one @ far + 0.3
