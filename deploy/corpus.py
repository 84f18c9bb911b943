"""The pipeline of docs/corpus.md on Ray: `python corpus.py TOPIC...`. PLACE is a folder, as fsspec names it, with the
archive in its warc/; lake/ and logs/ are made there. RAY_ADDRESS: the cluster; without it, this machine is one."""

from __future__ import annotations

import os
import sys

import ray

from zhuti.steps import Counts, Extract, Judge, PersonalData, RayExecutor, Warc, parquet

if __name__ == "__main__":
    place, topics = os.environ["PLACE"].rstrip("/"), sys.argv[1:]
    ray.init()
    steps = [Warc(f"{place}/warc"), Extract(), Judge(topics), PersonalData(), Counts(), parquet(f"{place}/lake")]
    RayExecutor(steps, tasks=int(os.environ.get("TASKS", "8")), logging_dir=f"{place}/logs", max_retries=3).run()
