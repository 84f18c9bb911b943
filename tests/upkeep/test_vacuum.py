from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from crawler.database.database import Database
from crawler.database.migrate import HEAD
from crawler.errors import StoreError
from zhuti.upkeep.housekeeping import stats, upgrade_store
from zhuti.upkeep.vacuum import vacuum


@pytest.fixture
def harvest(tmp_path: Path) -> Path:
    path = tmp_path / "vacuum.db"
    with Database(f"sqlite:///{path}") as database, database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE waste (x)")
        connection.exec_driver_sql("INSERT INTO waste VALUES (zeroblob(4000000))")
        connection.exec_driver_sql("DROP TABLE waste")
    return path


def test_vacuum(harvest: Path) -> None:
    with Database(f"sqlite:///{harvest}") as database:
        assert stats(database, harvest).free > 3_000_000
        vacuum(database, f"sqlite:///{harvest}", harvest)
        assert stats(database, harvest).free == 0
    assert harvest.stat().st_size < 1_000_000


def test_a_reader_is_in_the_way(harvest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.database.sqlite.BUSY_TIMEOUT", 100)  # milliseconds; it would wait ten seconds
    reader = sqlite3.connect(harvest, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM urls").fetchall()
    with Database(f"sqlite:///{harvest}") as database:
        vacuum(database, f"sqlite:///{harvest}", harvest)  # a reader keeps the old pages, and nothing breaks
    reader.close()


def test_a_server(crawl) -> None:
    vacuum(crawl.database, crawl.url, None)


def test_a_damaged_file_is_left_alone(harvest: Path) -> None:
    with Database(f"sqlite:///{harvest}") as database:
        content = bytearray(harvest.read_bytes())
        content[8192:40960] = b"\xff" * 32768
        harvest.write_bytes(content)
        with pytest.raises(StoreError, match="recover"):
            vacuum(database, f"sqlite:///{harvest}", harvest)
    assert harvest.read_bytes() == bytes(content)


def test_upgrade(harvest: Path) -> None:
    assert upgrade_store(f"sqlite:///{harvest}") == (HEAD, HEAD)
    with pytest.raises(StoreError, match="no harvest at"):
        upgrade_store(f"sqlite:///{harvest}.none")
    with Database(f"sqlite:///{harvest}"), pytest.raises(StoreError, match="in use"):
        upgrade_store(f"sqlite:///{harvest}")
    other = sqlite3.connect(harvest)
    other.execute("UPDATE alembic_version SET version_num = '9999'")
    other.commit()
    other.close()
    with pytest.raises(StoreError, match="newer version"):
        upgrade_store(f"sqlite:///{harvest}")
