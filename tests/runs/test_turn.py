"""One topic is harvested by one process, and the next has its turn when that is gone, killed or not."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from crawler.database.database import Database
from crawler.errors import InUse, StoreError
from crawler.runs.harvester import exclusively
from tests.harvester import start

HOLDER = """
import sys, time
from crawler.runs.harvester import exclusively
with exclusively(sys.argv[1], "t"):
    print("mine", flush=True)
    time.sleep(100)
"""


def test_one_at_a_time(database_url: str) -> None:
    with exclusively(database_url, "t") as database:
        assert database.readonly
        with pytest.raises(InUse, match="wait for it"), exclusively(database_url, "t"):
            pass
    with exclusively(database_url, "t"):
        pass


def test_a_killed_holder_gives_the_turn_back(database_url: str) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, database_url], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"mine\n"
        with pytest.raises(InUse), exclusively(database_url, "t"):
            pass
        holder.kill()
    until = time.monotonic() + 20
    while True:
        try:
            with exclusively(database_url, "t"):
                return
        except InUse:  # a server of PostgreSQL needs a moment to notice
            assert time.monotonic() < until
            time.sleep(0.05)


def test_topics_of_a_server_have_turns_of_their_own(postgres_url: str) -> None:
    with exclusively(postgres_url, "t"), exclusively(postgres_url, "茶"):
        pass


def test_a_crawl_that_is_no_harvest_counts_too(database_url: str) -> None:
    if database_url.startswith("sqlite"):
        with Database(database_url), pytest.raises(InUse), exclusively(database_url, "t"):
            pass
        return
    worker = start(database_url, pages=10_000, delay=0.05)
    try:
        until = time.monotonic() + 60
        while True:  # the worker is asked for once it has begun
            try:
                with exclusively(database_url, "t"):
                    assert time.monotonic() < until
            except InUse:
                break
    finally:
        worker.kill()
        worker.join()


def test_a_place_that_cannot_be_written(tmp_path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="STORE_URL"), exclusively(f"sqlite:///{tmp_path}/file/harvest.db", "t"):
        pass
