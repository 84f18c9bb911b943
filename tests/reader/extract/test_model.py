from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crawler.errors import ModelError
from crawler.reader.extract.model import MODEL, Linear, foreign_path, load_model
from lab.extraction.nets import joined

MAX_BYTES = 2_000_000  # of the model file


def test_the_model_of_the_project_is_small_and_without_pickle() -> None:
    assert MODEL.stat().st_size < MAX_BYTES
    assert load_model().first.inner.shape[0] == len(load_model().first.low)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 half an archive"])
def test_a_broken_file_is_named_with_the_remedy(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.npz"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"broken\.npz.*python -m lab train extraction"):
        load_model(path)


def test_a_missing_file_too(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.npz.*python -m lab train extraction"):
        load_model(tmp_path / "none.npz")


@pytest.mark.parametrize("arrays", [{"other": np.zeros(3)}, {"version": np.array("0")}, {"version": np.array("1")}])
def test_a_foreign_file_too(tmp_path: Path, arrays: dict[str, np.ndarray]) -> None:
    path = tmp_path / "foreign.npz"
    np.savez(path, **arrays)
    with pytest.raises(ModelError, match=r"foreign\.npz.*python -m lab train extraction"):
        load_model(path)


def test_a_file_of_other_features_too(tmp_path: Path) -> None:
    model = load_model()
    path = tmp_path / "foreign.npz"
    replace(model, title=model.time).save(path)
    with pytest.raises(ModelError, match=r"foreign\.npz.*title has other features.*python -m lab train extraction"):
        load_model(path)


@pytest.mark.parametrize("seed", range(6))
def test_a_file_that_is_damaged_inside_too(tmp_path: Path, seed: int) -> None:
    """What the archive's checks let pass is a model all the same."""
    random = np.random.default_rng(seed)
    content = bytearray(MODEL.read_bytes())
    for place in random.integers(100, len(content) - 3000, 20):  # in the compressed arrays
        content[place] ^= 0xFF
    path = tmp_path / "damaged.npz"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"damaged\.npz.*python -m lab train extraction"):
        load_model(path)


def test_saved_and_loaded_is_the_same(tmp_path: Path) -> None:
    model = load_model()
    model.save(tmp_path / "again.npz")
    again = load_model(tmp_path / "again.npz")
    assert np.array_equal(again.second.inner, model.second.inner)
    assert np.array_equal(again.kind.weights, model.kind.weights)


def test_a_net_is_the_mean_of_its_networks() -> None:
    # Two networks of one hidden unit, for a feature less 3 and halved: 1 and, held at 4, more.
    networks = [(np.full((1, 1), 1.0), np.zeros(1), np.full(1, 2.0), np.zeros(1))]
    networks += [(np.full((1, 1), -1.0), np.zeros(1), np.full(1, 2.0), np.full(1, -1.0))]
    net = joined(np.full(1, 3.0), np.full(1, 0.5), networks)
    one, held, other = (1 / (1 + np.exp(-logit)) for logit in (2.0, 8.0, -1.0))
    answers = net.chance(np.array([[5.0], [1000.0]], np.float32))
    assert answers == pytest.approx([(one + other) / 2, (held + other) / 2])


def test_a_linear_form_gives_shares() -> None:
    form = Linear(np.zeros(1), np.ones(1), np.array([[1.0, 0.0]]), np.zeros(2))
    assert form.chance(np.array([[0.0], [100.0]])) == pytest.approx(
        np.array([[0.5, 0.5], [0.98201, 0.01799]]), abs=1e-4
    )


def test_pages_that_are_not_chinese_have_a_model_of_their_own(tmp_path: Path) -> None:
    bundled = load_model()
    assert bundled.foreign is not None
    assert bundled.of(chinese=True) is bundled
    assert bundled.of(chinese=False) is bundled.foreign
    path = tmp_path / "one.npz"
    bundled.save(path)
    assert load_model(path).of(chinese=False) is load_model(path)
    load_model.cache_clear()
    bundled.foreign.save(foreign_path(path))
    foreign = load_model(path).of(chinese=False)
    assert (foreign.first.inner == bundled.foreign.first.inner).all()
    load_model.cache_clear()
    foreign_path(path).write_bytes(b"broken")
    with pytest.raises(ModelError, match="one-foreign"):
        load_model(path)
