"""Words by the company they keep: which of them are in the same pages. Two pages about one thing may share few words;
these tell that their words belong together."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crawler.bundled import MODELS
from crawler.mistakes import whole_model

Floats = NDArray[np.float64]

EMBEDDINGS = MODELS / "embeddings.npz"
VERSION = "1"  # of the file


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """A latent semantic analysis of the background's pages (Deerwester et al. 1990)."""

    rows: Mapping[str, int]  # word as the tokenizer gives it -> its row
    table: NDArray[np.float32]  # (words, dimensions): the word's direction, times its inverse document frequency

    def direction(self, weights: Mapping[str, float]) -> Floats | None:
        """Where a text with these term weights points, of length 1; None where it has no word of the table."""
        known = [term for term in weights if term in self.rows]
        if not known:
            return None
        rows = self.table[[self.rows[term] for term in known]].astype(float)
        total: Floats = np.array([weights[term] for term in known]) @ rows
        length = float(np.sqrt(total @ total))
        return total / length if length else None

    def of(self, terms: Sequence[str]) -> Floats:
        """The row of each term, shape (terms, dimensions); zeros for one that the table lacks."""
        found = np.zeros((len(terms), self.table.shape[1]))
        for n, term in enumerate(terms):
            if (row := self.rows.get(term)) is not None:
                found[n] = self.table[row]
        return found


def save(embeddings: Embeddings, path: Path) -> None:
    words = "\n".join(sorted(embeddings.rows, key=embeddings.rows.__getitem__)).encode()
    table = embeddings.table.astype(np.float16)
    np.savez_compressed(path, version=np.array(VERSION), words=np.frombuffer(words, np.uint8), table=table)


@lru_cache(maxsize=1)
def load_embeddings(path: Path = EMBEDDINGS) -> Embeddings:
    """Raises ModelError when the file is missing, broken, or of another version."""
    with whole_model(path, "background --web DIR --labels FILE"):
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            if str(file["version"]) != VERSION:
                raise ValueError(f"version {file['version']} instead of {VERSION}")
            words = file["words"].tobytes().decode().split("\n")
            table = file["table"].astype(np.float32)
        if table.ndim != 2 or len(words) != len(table) or not np.isfinite(table).all():
            raise ValueError("words and table do not match")
        return Embeddings({word: n for n, word in enumerate(words)}, table)
