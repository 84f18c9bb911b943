"""Trained numbers written as JSON, for crawler/reader/papers/model_files.py to read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from crawler.reader.papers.density_svm import DensitySvm
from crawler.reader.papers.fused.fused import Fused
from crawler.reader.papers.model_files import FORMAT, TrainedExtractor
from crawler.reader.papers.outline import Floats
from crawler.reader.papers.pso import Pso
from crawler.reader.papers.svm import Svm

DIGITS = 6  # of a saved number


def save(model: TrainedExtractor, path: Path) -> None:
    """Writes one line for each key, so that two trainings can be compared by eye."""
    items = {"model": model.model, "format": FORMAT, **_numbers(model)}
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in items.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def _numbers(model: TrainedExtractor) -> dict[str, Any]:
    match model:
        case DensitySvm():
            return {"block": svm_json(model.block), "paragraph": svm_json(model.paragraph)}
        case Fused():
            return {"svm": svm_json(model.svm)}
        case Pso():
            return asdict(model.supports)
    raise TypeError(f"{model!r} is none of the models")


def svm_json(machine: Svm) -> dict[str, Any]:
    return {
        "low": _rounded(machine.low),
        "high": _rounded(machine.high),
        "vectors": _rounded(machine.vectors),
        "weights": _rounded(machine.weights),
        "intercept": round(machine.intercept, DIGITS),
        "gamma": machine.gamma,
    }


def _rounded(values: Floats) -> Any:
    return np.round(values, DIGITS).tolist()
