"""Model files: what is wrong with one, and how to mend it."""

import json
from pathlib import Path
from typing import Any

import pytest

from crawler.bundled import MODELS
from crawler.errors import ModelError
from crawler.reader.papers.density_svm import DensitySvm
from crawler.reader.papers.fused.fused import Fused
from crawler.reader.papers.model_files import FORMAT
from crawler.reader.papers.pso import Pso
from lab.extraction.papers.saving import save

LOADERS: dict[str, Any] = {"density-svm": DensitySvm, "fused": Fused, "pso": Pso}
MAX_SIZE = 300_000  # bytes

every_model = pytest.mark.parametrize("name", LOADERS)


@every_model
def test_a_model_survives_saving(name: str, tmp_path: Path) -> None:
    model = LOADERS[name].load(MODELS / f"{name}.json")
    save(model, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (MODELS / f"{name}.json").read_bytes()
    assert (MODELS / f"{name}.json").stat().st_size <= MAX_SIZE


@every_model
@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"model": "other", "format": 1}', "\udcff"])
def test_a_missing_broken_or_foreign_file(name: str, content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    if content is not None:
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelError, match=r"x\.json .*python -m lab train extraction --pages DIR$"):
        LOADERS[name].load(path)


@every_model
def test_numbers_that_do_not_fit(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    foreign = {"svm": {}, "table": [[0.5]], "weights": [1], "threshold": 0}
    path.write_text(json.dumps({"model": name, "format": FORMAT, **foreign}))
    with pytest.raises(ModelError, match=r"x\.json is not a model .*python -m lab train"):
        LOADERS[name].load(path)
