"""The trained model: two looks at the blocks of a page, one at its kind, and the choice of title and time. It is made
of arrays and their products.

`lab/extraction/training.py` trains it; nothing here knows scikit-learn.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crawler.bundled import MODELS
from crawler.mistakes import whole_model
from crawler.reader.extract.blocks import NOTICE
from crawler.reader.extract.characters import Numbers
from crawler.reader.extract.context import look_again
from crawler.reader.extract.features import BlockTable
from crawler.reader.extract.page_kind import page_features
from crawler.reader.extract.time_candidates import NAMES as TIME_FEATURES
from crawler.reader.extract.title_features import NAMES as TITLE_FEATURES

MODEL = MODELS / "extraction.npz"
VERSION = "7"  # of the features: a model of other ones is foreign
CLIP = 4.0  # standard deviations beyond which a feature says no more
HOPELESS = 0.003  # first chance of a block that gets no second look: half of all blocks; it changes no score
KINDS = ("article", "forum", "product", "other", "list")  # what the kind's model tells apart


@dataclass(frozen=True, slots=True)
class Net:
    """Several networks of one hidden layer of rectifiers, side by side; the answer is the mean of their answers."""

    low: Numbers  # (features,) bounds of each feature
    high: Numbers
    inner: Numbers  # (features, networks * hidden)
    inner_bias: Numbers  # (networks * hidden,)
    outer: Numbers  # (networks * hidden, networks), zeros but where a unit is of the network
    outer_bias: Numbers  # (networks,)

    def chance(self, matrix: Numbers) -> Numbers:
        """Returns the probability of each row, shape (rows,)."""
        hidden = np.minimum(np.maximum(matrix, self.low), self.high) @ self.inner
        hidden += self.inner_bias
        np.maximum(hidden, 0, out=hidden)
        chance: Numbers = (1 / (1 + np.exp(-(hidden @ self.outer) - self.outer_bias))).mean(axis=1)
        return chance


@dataclass(frozen=True, slots=True)
class Linear:
    """Softmax over a linear form."""

    mean: Numbers  # (features,)
    scale: Numbers
    weights: Numbers  # (features, classes)
    bias: Numbers  # (classes,)

    def chance(self, values: Numbers) -> Numbers:
        """Returns the probability of each class, shape (..., classes)."""
        logits = np.clip((values - self.mean) * self.scale, -CLIP, CLIP) @ self.weights + self.bias
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        share: Numbers = powers / powers.sum(axis=-1, keepdims=True)
        return share


@dataclass(frozen=True, slots=True)
class Chances:
    """What the model makes of a page, as probabilities."""

    body: Numbers  # of each block to be of the body, shape (blocks,)
    kinds: Numbers  # of the page to be of each of KINDS


@dataclass(frozen=True, slots=True)
class ExtractionModel:
    """The five parts that `python -m lab train extraction` trains together; `load_model` reads them."""

    first: Net
    kind: Linear
    second: Net
    title: Net  # of candidates for the title
    time: Net  # of candidates for the publish time
    foreign: ExtractionModel | None = None  # for pages that are not Chinese; None: this one

    def of(self, chinese: bool) -> ExtractionModel:
        """Returns the model for a page that is Chinese, or is not."""
        return self if chinese or self.foreign is None else self.foreign

    def look(self, table: BlockTable, url: str) -> Chances:
        """Looks twice at a page that has at least one block. `url` may be "": it only helps to tell the kind."""
        chance = self.first.chance(table.matrix)
        kinds = self.kind.chance(page_features(table, chance, url))
        own = (table.blocks.above[table.owners] & NOTICE) == 0
        again = np.flatnonzero((chance >= min(HOPELESS, float(chance.max(initial=0.0)))) & own)
        second = np.zeros_like(chance)
        if len(again):
            second[again] = self.second.chance(second_matrix(table, chance, kinds, again))
        return Chances(second, kinds)

    def save(self, path: Path) -> None:
        """Writes an .npz file. Missing folders are made."""
        arrays: dict[str, NDArray[np.generic]] = {"version": np.array(VERSION)}
        for part in ("first", "kind", "second", "title", "time"):
            net = getattr(self, part)
            arrays |= {f"{part}_{name}": getattr(net, name) for name in net.__dataclass_fields__}
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, **arrays)  # type: ignore[arg-type]


def second_matrix(table: BlockTable, chance: Numbers, kinds: Numbers, rows: NDArray[np.int64]) -> Numbers:
    """Returns the features of the second look at some of the blocks, shape (rows, features)."""
    known = np.broadcast_to(kinds.astype(np.float32), (len(rows), len(kinds)))
    return np.hstack([table.matrix[rows], look_again(table, chance)[rows], known])


@lru_cache(maxsize=4)
def load_model(path: Path = MODEL) -> ExtractionModel:
    """Loads a model, and that for pages that are not Chinese if there is one beside it.

    Raises ModelError if a file is missing, broken, or of another version.
    """
    model, foreign = _read(path), foreign_path(path)
    return replace(model, foreign=_read(foreign)) if foreign.is_file() else model


def foreign_path(path: Path) -> Path:
    """Returns where the model for pages that are not Chinese is."""
    return path.with_stem(f"{path.stem}-foreign")


def _read(path: Path) -> ExtractionModel:
    with whole_model(path, "extraction --pages DIR"):
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if str(arrays["version"]) != VERSION:
            raise ValueError(f"version {arrays['version']} instead of {VERSION}")
        for name, features in (("title", TITLE_FEATURES), ("time", TIME_FEATURES)):
            if arrays[f"{name}_low"].shape != (len(features),):
                raise ValueError(f"its {name} has other features")
        first, second, title, time = (Net(**_part(arrays, f"{name}_")) for name in ("first", "second", "title", "time"))
        return ExtractionModel(first, Linear(**_part(arrays, "kind_")), second, title, time)


def _part(arrays: dict[str, NDArray[np.float32]], prefix: str) -> dict[str, NDArray[np.float32]]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
