"""Does Ray give the files of the local executor, also when a node is killed?

    python -m lab.benchmarks.ray_nodes WARC_DIR [--topics machine-learning] [--kills 5] [--seed 1] [--datatrove]

WARC_DIR: WARC files of any crawler, each of which is one task. The steps run with the local executor, on a Ray cluster
of two nodes on this machine, and on such clusters of which one node is killed with all its processes: first while its
first task starts, then at moments of chance. --datatrove takes datatrove's executor, which may wait for ever: it is
given up after LONGEST. Needs `ray` and `psutil`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import threading
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import ray
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.executor.ray import RayPipelineExecutor
from loguru import logger
from pyarrow import parquet as files
from ray.cluster_utils import Cluster

from zhuti.steps import Counts, Extract, Judge, PersonalData, Warc, parquet
from zhuti.steps.on_ray import RayExecutor

SPAN = 15.0  # seconds after the start of the second node's first task within which it is killed
LONGEST = 180.0  # seconds


def rows(out: Path) -> list[tuple[str, str]]:
    """Of each file, all that it holds."""
    return [(path.name, repr(files.read_table(path).to_pylist())) for path in sorted((out / "lake").glob("*.parquet"))]


def run(executor: Any, folder: Path, topics: list[str], out: Path) -> None:
    steps = [Warc(str(folder)), Extract(), Judge(topics, everything=True), PersonalData(), Counts()]
    tasks = len(list(folder.iterdir()))
    executor([*steps, parquet(str(out / "lake"))], tasks=tasks, logging_dir=str(out / "logs")).run()


def kill(node: Any, after: float) -> None:
    """Kills the raylet and all its descendants, as a machine dies, `after` seconds after it began to start a task."""
    raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
    while not any(name_of(one).startswith("ray::") for one in raylet.children(recursive=True)):
        time.sleep(0.05)
    time.sleep(after)
    for process in [raylet, *raylet.children(recursive=True)]:
        process.kill()


def name_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline()).replace("ray::IDLE", "")
    except psutil.NoSuchProcess:
        return ""


def on_ray(executor: Any, folder: Path, topics: list[str], out: Path, after: float | None) -> None:
    """In a process of its own: an executor that waits for ever is ended with it."""
    logger.remove()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    other = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    if after is not None:
        threading.Thread(target=kill, args=(other, after), daemon=True).start()
    try:
        run(executor, folder, topics, out)
    finally:
        ray.shutdown()
        cluster.shutdown()


def timed(work: Any, *arguments: Any) -> float | None:
    """Seconds; None: given up, and all of its processes ended."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=arguments)
    began = time.monotonic()
    process.start()
    process.join(LONGEST)
    if process.is_alive():
        for one in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
            one.kill()
        return None
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--topics", default="machine-learning")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--datatrove", action="store_true")
    options = parser.parse_args()
    topics, chance = options.topics.split(","), random.Random(options.seed)
    executor = RayPipelineExecutor if options.datatrove else RayExecutor
    with TemporaryDirectory() as temporary:
        out = Path(temporary) / "local"
        seconds = timed(run, partial(LocalPipelineExecutor, workers=2), options.folder, topics, out)
        whole = rows(out)
        print(f"local: {seconds:.1f} s, {len(whole)} files", flush=True)
        moments = [None, 0.0, *(chance.uniform(0, SPAN) for _ in range(options.kills - 1))]
        for number, after in enumerate(moments):
            out = Path(temporary) / f"ray{number}"
            seconds = timed(on_ray, executor, options.folder, topics, out, after)
            node = (
                "both nodes live" if after is None else f"one killed {after:.1f} s after its first task began to start"
            )
            ended = "did not end" if seconds is None else f"{seconds:.1f} s"
            print(f"Ray, {node}: {ended}, {'the same rows' if rows(out) == whole else 'OTHER ROWS'}", flush=True)


if __name__ == "__main__":
    main()
