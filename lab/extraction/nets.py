"""Trained networks as one `Net`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.reader.extract.model import CLIP, Net

AnyFloats = NDArray[np.floating[Any]]


def joined(mean: AnyFloats, scale: AnyFloats, networks: Sequence[Sequence[AnyFloats]]) -> Net:
    """Puts networks beside each other. Each has weights (features, hidden), biases, outer weights (hidden,) and a
    bias (1,), for features less `mean`, times `scale`, within CLIP of 0. All of this goes into the weights."""
    inner = np.hstack([weights for weights, *_ in networks]) * scale[:, None]
    bias = np.concatenate([bias for _, bias, *_ in networks]) - mean @ inner
    own = np.array([weights for _, _, weights, _ in networks])
    outer = (np.eye(len(own))[:, None, :] * own[:, :, None]).reshape(-1, len(own))
    known = (mean - CLIP / scale, mean + CLIP / scale, inner, bias, outer, np.ravel([net[3] for net in networks]))
    return Net(*(array.astype(np.float32) for array in known))
