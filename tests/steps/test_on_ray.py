"""Pipelines on Ray."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from datatrove.data import Document

from tests.steps.conftest import text
from zhuti.steps import Counts, Lake, parquet
from zhuti.steps.on_ray import RayExecutor

BODY = "茶叶要用沸水冲泡，第{}次。"
ray = pytest.importorskip("ray")


@pytest.fixture
def cluster() -> Iterator[None]:
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def pages(_data: object, rank: int, _tasks: int) -> list[Document]:
    return [text(BODY.format(rank))]


def killed_once(marks: Path) -> Any:
    """A step whose process is killed the first time in each task."""

    def step(data: Iterator[Document], rank: int, _tasks: int) -> Iterator[Document]:
        mark = marks / str(rank)
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return data

    return step


def refuses(_data: object, rank: int, _tasks: int) -> list[Document]:
    if rank:
        raise ValueError("a fault of this task")
    return []


def test_a_task_whose_process_is_killed_runs_again(cluster: None, tmp_path: Path) -> None:
    steps = [pages, killed_once(tmp_path), Counts(), parquet(str(tmp_path / "lake"))]
    executor = RayExecutor(steps, 2, str(tmp_path / "logs"))
    executor.run()
    written = sorted((tmp_path / "lake").iterdir())
    assert [path.name for path in written] == ["000_00000.parquet", "000_00001.parquet"]
    assert {document.text for document in Lake(str(tmp_path / "lake")).run()} == {BODY.format(0), BODY.format(1)}
    assert executor.get_incomplete_ranks() == []
    assert (tmp_path / "logs" / "stats.json").exists()
    written[0].unlink()
    executor.run()  # nothing is left to be done
    assert not written[0].exists()
    failing = RayExecutor([refuses], 2, str(tmp_path / "others"))
    with pytest.raises(ValueError, match="a fault of this task"):
        failing.run()
    assert failing.get_incomplete_ranks() == [1]
