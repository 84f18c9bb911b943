"""Pipelines on a Ray cluster whose nodes may die."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from datatrove.executor.base import DistributedEnvVars, PipelineExecutor
from datatrove.utils.logging import logger
from datatrove.utils.stats import PipelineStats


class RayExecutor(PipelineExecutor):
    """Runs each task as a task of Ray, which starts it again elsewhere when its node or its process dies. datatrove's
    `RayPipelineExecutor` starts an actor for each, and waits for ever when the node dies while the actor starts: the
    error stays in a thread whose result nobody reads.

    Args:
        pipeline, tasks, skip_completed: as of datatrove's executors.
        logging_dir: where it is noted what is done. All nodes must reach it, and the folders of the steps.
        options: of `ray.remote`, such as `num_cpus` (1), `memory` in bytes, `max_retries` (3 a task).

    Raises:
        ImportError: Ray is missing.
    """

    def __init__(
        self,
        pipeline: Sequence[Any],
        tasks: int = 1,
        logging_dir: str | None = None,
        skip_completed: bool = True,
        **options: Any,
    ) -> None:
        try:
            import ray  # noqa: F401
        except ImportError as error:
            raise ImportError(f"RayExecutor needs Ray ({error}); pip install ray") from error
        super().__init__(list(pipeline), logging_dir, skip_completed)
        self.tasks = tasks
        self.options = {"num_cpus": 1} | options

    @property
    def world_size(self) -> int:
        return self.tasks

    def get_distributed_env(self, node_rank: int = -1) -> DistributedEnvVars:
        names = ("node_ips", "cpus_per_task", "mem_per_cpu", "gpus_on_node")
        return DistributedEnvVars(datatrove_executor="RAY", **{f"datatrove_{name}": "" for name in names})

    def run(self) -> None:
        """Returns when all tasks are done. Comes after `ray.init(address=...)`; without it Ray starts on this machine.

        Raises whatever the first task raised that failed, once the others have ended.
        """
        import ray

        left = self.get_incomplete_ranks()
        logger.info(f"{len(left)} of {self.tasks} tasks are left")
        self.save_executor_as_json()
        # A process a task: the next one would find dictionaries and caches of the last in its memory.
        task = ray.remote(max_calls=1, **self.options)(RayExecutor._run_for_rank)
        shared = ray.put(self)
        running: list[Any] = [task.remote(shared, rank, local_rank=rank) for rank in left]
        if running:
            ray.wait(running, num_returns=len(running))
            ray.get(running)
        stats = PipelineStats()
        for rank in range(self.tasks):
            stats += PipelineStats.from_json(json.loads(self.logging_dir.cat_file(f"stats/{rank:05d}.json")))
        with self.logging_dir.open("stats.json", "w") as file:
            stats.save_to_disk(file)
