"""A folder with a model of sentences in ONNX and its tokenizer, as such models are shared.

It holds `tokenizer.json`, and `model.onnx` beside it or below `onnx/`. The model's vector of a text is its output
`sentence_embedding`; else the mean of its tokens' vectors, or that of the first one where `1_Pooling/config.json` says
so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.errors import SettingError
from crawler.messages import _

MODELS = ("model.onnx", "onnx/model.onnx")
TOKENIZER = "tokenizer.json"
POOLING = "1_Pooling/config.json"
WHOLE = "sentence_embedding"
PACKAGES = ("onnxruntime", "tokenizers")
MOST_TOKENS = 512  # of a text, where the tokenizer has no bound of its own: what models of BERT's kind can take
AT_ONCE = 16  # texts in one run of the model: memory


def name_of(folder: Path) -> str:
    """The folder's name, and what tells this model from others that stood there. Raises SettingError for a folder that
    lacks something, and where a package is missing."""
    model, missing = _model_of(folder), [name for name in PACKAGES if find_spec(name) is None]
    if model is None or not (folder / TOKENIZER).is_file():
        raise SettingError(
            _(
                "MEANING_MODEL={folder} lacks {missing}; give a folder with a model of sentences as model.onnx and"
                " its tokenizer.json, or MEANING_URL for a model on a server"
            ),
            folder=folder,
            missing=TOKENIZER if model else MODELS[0],
        )
    if missing:
        raise SettingError(_("a model in a folder needs {missing}; install zhuti[onnx]"), missing=" ".join(missing))
    try:
        with model.open("rb") as file:
            return f"{folder.resolve().name}-{hashlib.file_digest(file, 'sha256').hexdigest()[:8]}"
    except OSError as error:
        raise SettingError(
            _("MEANING_MODEL={folder} cannot be read ({error.strerror}); make it readable"), folder=folder, error=error
        ) from error


def vectors_of(folder: Path, texts: Sequence[str]) -> NDArray[np.float32]:
    """A row for each of the texts, of any length. Raises what the two packages raise, and ValueError."""
    model = _opened(folder)
    return np.concatenate([model.vectors(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)])


@dataclass(frozen=True, slots=True)
class _Model:
    session: Any  # onnxruntime.InferenceSession
    tokenizer: Any  # tokenizers.Tokenizer
    by_first: bool  # whether the first token's vector is the text's

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        read = self.tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in read], np.int64)
        shown = {
            "input_ids": np.array([one.ids for one in read], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([one.type_ids for one in read], np.int64),
        }
        wanted, names = (
            [place.name for place in places] for places in (self.session.get_inputs(), self.session.get_outputs())
        )
        found = self.session.run(
            [WHOLE if WHOLE in names else names[0]], {name: shown[name] for name in wanted if name in shown}
        )[0]
        if found.ndim == 3:
            found = found[:, 0] if self.by_first else _mean(found, mask)
        if found.ndim != 2:
            raise ValueError(_("it gives no vector for a text"))
        return np.asarray(found, np.float32)


@lru_cache(maxsize=1)
def _opened(folder: Path) -> _Model:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    if tokenizer.truncation is None:
        tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.enable_padding(**_padding(tokenizer.padding or {}))
    session = InferenceSession(str(_model_of(folder)), providers=["CPUExecutionProvider"])
    return _Model(session, tokenizer, _by_first(folder / POOLING))


def _padding(own: Mapping[str, Any]) -> dict[str, Any]:
    """To the longest text at hand, with the tokenizer's own sign."""
    return {name: own[name] for name in ("pad_id", "pad_token", "pad_type_id") if name in own}


def _by_first(path: Path) -> bool:
    return path.is_file() and bool(json.loads(path.read_text(encoding="utf-8")).get("pooling_mode_cls_token"))


def _mean(tokens: NDArray[Any], mask: NDArray[np.int64]) -> NDArray[Any]:
    """Of each text's tokens, without the padding."""
    found: NDArray[Any] = (tokens * mask[:, :, None]).sum(axis=1) / np.maximum(mask.sum(axis=1), 1)[:, None]
    return found


def _model_of(folder: Path) -> Path | None:
    return next((path for name in MODELS if (path := folder / name).is_file()), None)
