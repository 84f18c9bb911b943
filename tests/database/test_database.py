import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL, make_url

from crawler.database.database import Database, hidden
from crawler.database.migrate import HEAD
from crawler.database.schema import metadata
from crawler.errors import ConnectionLost, StoreError
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.records import Outcome
from tests.postgres import administer, drop_database, new_database


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def test_missing_folders_are_made(tmp_path: Path) -> None:
    with Database(url(tmp_path / "a" / "b" / "harvest.db")):
        assert (tmp_path / "a" / "b" / "harvest.db").is_file()


FIRST = Path(__file__).with_name("first_harvest.sql").read_text(encoding="utf-8")


def differences(connection: Connection) -> list[Any]:
    """What this engine's tables do not have as the schema says."""

    def ours(item: Any, *_: object) -> bool:
        rule = getattr(item, "_ddl_if", None)
        return rule is None or rule.dialect == connection.dialect.name

    found: list[Any] = compare_metadata(MigrationContext.configure(connection, opts={"include_object": ours}), metadata)
    return found


@pytest.mark.filterwarnings("ignore:autogenerate skipping metadata-specified expression-based index 'urls_address'")
@pytest.mark.parametrize("before", ["", FIRST], ids=["new", "first"])
def test_migrations_make_the_tables_of_the_schema(tmp_path: Path, before: str) -> None:
    sqlite3.connect(tmp_path / "harvest.db").executescript(before).close()
    with Database(url(tmp_path / "harvest.db")) as database, database.transaction() as connection:
        assert differences(connection) == []
        made = {name: sql for name, sql in connection.execute(text("SELECT name, sql FROM sqlite_master")) if sql}
    direct = sqlite3.connect(":memory:")
    with Database("sqlite://") as memory, memory.transaction() as connection:
        metadata.drop_all(connection)
        metadata.create_all(connection)
        rows = connection.execute(text("SELECT name, sql FROM sqlite_master"))
        written = {name: sql for name, sql in rows if sql and not name.startswith("alembic")}
    direct.close()
    indexes = {name for name in written if "INDEX" in written[name]}
    assert {name: made[name] for name in indexes} == {name: written[name] for name in indexes}
    assert made.keys() - {"alembic_version"} == written.keys()


def test_a_harvest_of_the_first_version_keeps_its_rows(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "harvest.db") as old:
        old.executescript(FIRST)
        tables = [name for (name,) in old.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        before = {name: old.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    with Database(url(tmp_path / "harvest.db")) as database, database.transaction() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == HEAD
        for name in set(tables) - {"alembic_version"}:
            after = [tuple(row) for row in connection.execute(text(f"SELECT * FROM {name}"))]
            assert [row[: len(old)] for row, old in zip(after, before[name], strict=True)] == before[name]
        visited = connection.execute(text("SELECT url_id, visited_at, digest FROM visits")).all()
        assert [tuple(row) for row in visited] == [(1, 5.0, None), (2, 6.0, b"\x01")]
        assert connection.execute(text("SELECT crawl_delay FROM hosts")).scalars().all() == [0.0]


def test_columns_and_outcomes_of_version_0010_get_their_names_of_today(database_url: str) -> None:
    with Database(database_url) as database:
        Frontier(database, "t").seed(["https://a.example/feed"], now=0)
        with database.transaction() as connection:
            for command in (
                "INSERT INTO fetches (topic_id, url_id, at, outcome, counted, status, seconds, size, reason)"
                " SELECT topic_id, id, 0, 'door', FALSE, 200, 0, 0, '' FROM urls",
                "UPDATE urls SET index_kind = 'feed'",
                "ALTER TABLE judgements RENAME COLUMN nearness TO similarity",
                "ALTER TABLE urls RENAME COLUMN index_kind TO door",
                "UPDATE alembic_version SET version_num = '0010'",
            ):
                connection.execute(text(command))
    with Database(database_url) as database, database.transaction() as connection:
        assert connection.execute(text("SELECT outcome FROM fetches")).scalar() == Outcome.INDEX_FILE
        assert connection.execute(text("SELECT index_kind FROM urls")).scalar() == "feed"
        assert connection.execute(text("SELECT nearness FROM judgements")).all() == []


def test_a_server_of_version_0018_gets_the_key_of_addresses(postgres_url: str) -> None:
    with Database(postgres_url) as database:
        Frontier(database, "t").seed(["https://a.example/1", "https://a.example/2"], now=0)
        with database.transaction() as connection:
            for command in (
                "DROP INDEX urls_address",
                "DROP FUNCTION url_key",
                "ALTER TABLE urls ADD CONSTRAINT urls_topic_url UNIQUE (topic_id, url)",
                "UPDATE alembic_version SET version_num = '0018'",
            ):
                connection.execute(text(command))
    with Database(postgres_url) as database:
        assert Frontier(database, "t").seed(["https://a.example/2", "https://a.example/3"], now=0) == 1
        with database.transaction() as connection:
            assert differences(connection) == []


def test_news_that_has_a_link_scorers_score_is_scored_by_it_again(database_url: str) -> None:
    with Database(database_url) as database:
        found = [NewUrl(f"https://a.example/{score}", score, 1, pinned=True) for score in (0.0, 0.5, 30.0)]
        Frontier(database, "t").add(found, now=0)
        with database.transaction() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '0028'"))
    with Database(database_url) as database:
        frontier = Frontier(database, "t", per_host=3)
        frontier.rescore({each.url: 2.0 for each in found})
        assert sorted(claim.score for claim in frontier.claim(3, 9e9)) == [0.0, 2.0, 30.0]


def test_what_is_added_raises_the_version() -> None:
    """Or databases of before would go without it."""
    columns = [f"{column.table}.{column.name} {column.type}" for table in metadata.sorted_tables for column in table.c]
    indexes = [str(index.name) for table in metadata.sorted_tables for index in table.indexes]
    digest = sha256(" ".join(sorted(columns + indexes)).encode()).hexdigest()
    assert (HEAD, digest[:8]) == ("0029", "66579052")


def refused(path: Path, *words: str, readonly: bool = False) -> None:
    with pytest.raises(StoreError) as caught:
        Database(url(path), readonly=readonly)
    for word in (str(path), *words):
        assert word in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("这不是数据库。" * 1000)
    refused(path, "file is not a database", "STORE_URL")
    assert path.read_text().startswith("这不是数据库。")


def test_the_database_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE urls (url TEXT)")
    other.close()
    refused(path, "another program")


def test_a_newer_schema(tmp_path: Path) -> None:
    path = tmp_path / "harvest.db"
    with Database(url(path)) as database, database.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    refused(path, "newer version", "9999", HEAD)
    refused(path, "newer version", readonly=True)


@pytest.mark.parametrize("readonly", [False, True])
def test_a_schema_of_no_release(tmp_path: Path, readonly: bool) -> None:
    path = tmp_path / "harvest.db"
    with Database(url(path)) as database, database.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0009'"))
    refused(path, "before version 0.1.0", "0009", "open it once with version 0.3.0", readonly=readonly)


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "harvest.db"
    with Database(url(path)) as database:
        Frontier(database, "t").seed([f"https://a.example/{n}" for n in range(2000)], now=0)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"damaged: `sqlite3 \S+harvest.db .dump \|.*\| sqlite3 \S+` saves the pages"):
        Frontier(Database(url(path)), "t")


def test_an_unwritable_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused(tmp_path / "file" / "harvest.db", "STORE_URL")
    refused(Path("/dev/null/harvest.db"), "STORE_URL")


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_deleted_in_mid_crawl(tmp_path: Path, replaced: bool) -> None:
    path = tmp_path / "harvest.db"
    with Database(f"sqlite:///{path}") as database:
        frontier = Frontier(database, "t")
        path.rename(tmp_path / "elsewhere.db")
        if replaced:
            path.touch()
        with pytest.raises(StoreError, match=r"harvest\.db was deleted or replaced"):
            frontier.seed(["http://a.example/"])


def test_readonly_needs_a_harvest(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no harvest at"):
        Database(url(tmp_path / "harvest.db"), readonly=True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_nobody_can_change_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system that is mounted read-only SQLite can put nothing beside it."""
    path = tmp_path / "har vest.db"
    Database(url(path)).close()
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    files = {item.name for item in tmp_path.iterdir()}
    with Database(url(path), readonly=True) as database, database.transaction(shared=True) as connection:
        assert connection.execute(text("SELECT count(*) FROM urls")).scalar() == 0
        assert {item.name for item in tmp_path.iterdir()} == files


def test_readonly_does_not_write(tmp_path: Path) -> None:
    path = tmp_path / "harvest.db"
    Database(url(path)).close()
    with Database(url(path), readonly=True) as database, pytest.raises(StoreError, match="writable"):
        Frontier(database, "t")


def test_readers_beside_a_crawl(tmp_path: Path) -> None:
    path = tmp_path / "harvest.db"
    with Database(url(path)) as database:
        frontier = Frontier(database, "t")
        frontier.seed(["https://a.example/"])
        with Database(url(path), readonly=True) as reader, reader.transaction() as connection:
            assert connection.execute(text("SELECT url FROM urls")).scalars().all() == ["https://a.example/"]
            assert frontier.claim(1, now=1)


@pytest.mark.parametrize("bad", ["harvest.db", "", "mongodb://x/y", "mysql://x/y"])
def test_no_database_url(bad: str) -> None:
    with pytest.raises(StoreError, match="sqlite:///"):
        Database(bad)


WRONG = {  # what is changed in a right URL, and what the sentence must say
    "password": ({"password": "wrong"}, "password authentication failed"),
    "user": ({"username": "nobody"}, "correct user and password in STORE_URL"),
    "database": ({"database": "nowhere"}, "createdb"),
    "port": ({"port": 1}, "start the server"),
    "host": ({"host": "nowhere.invalid"}, "correct host and port in STORE_URL"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_server_that_does_not_let_us_in(case: str, postgres: URL) -> None:
    change, words = WRONG[case]
    with pytest.raises(StoreError, match=words) as caught:
        Database(postgres.set(**change).render_as_string(hide_password=False))  # type: ignore[arg-type]
    assert str(postgres.password) not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql+psycopg://me:secret@host/name", "postgresql+psycopg://me:***@host/name"),
        ("postgresql://me:a@b@host/name", "postgresql://me:***@host/name"),
        ("postgresql://me@host/name", "postgresql://me@host/name"),
        ("postgresql://host/name?user=me&password=secret&x=1", "postgresql://host/name?user=me&password=***&x=1"),
        ("postgresql://me:secret@host/name?password=other", "postgresql://me:***@host/name?password=***"),
        ("sqlite:///data/harvest.db", "sqlite:///data/harvest.db"),
    ],
)
def test_passwords_are_not_told(url: str, told: str) -> None:
    assert hidden(url) == told


def test_a_missing_driver(monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> None:
    monkeypatch.delitem(sys.modules, "crawler.database.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match="pip install"):
        Database(postgres_url)


def test_readonly_does_not_write_to_a_server(postgres_url: str) -> None:
    with Database(postgres_url, readonly=True) as database, pytest.raises(StoreError, match="read-only"):
        Frontier(database, "t")


def test_the_schema_is_the_same_on_a_server(postgres_url: str) -> None:
    with Database(postgres_url) as database, database.transaction() as connection:
        assert differences(connection) == []


def test_a_server_with_the_tables_of_another_program(postgres: URL) -> None:
    url = new_database(postgres)
    administer(make_url(url), "CREATE TABLE urls (url text)")
    with pytest.raises(StoreError, match="another program"):
        Database(url)
    drop_database(url)


def test_a_lost_connection_is_told_and_replaced(postgres_url: str, postgres: URL) -> None:
    with Database(postgres_url) as database:
        frontier = Frontier(database, "t")
        administer(
            postgres, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name(postgres_url)}'"
        )
        for _ in range(2):
            with pytest.raises(ConnectionLost, match="nothing is lost"):
                frontier.seed(["https://a.example/"])
        database.connect()
        assert frontier.seed(["https://a.example/"]) == 1


def name(url: str) -> str:
    return str(make_url(url).database)


HOLDER = """
import sys
from crawler.database.database import Database
database = Database(sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


def test_one_crawl_of_a_file_and_none_after_kill(tmp_path: Path) -> None:
    path = tmp_path / "harvest.db"
    command = [sys.executable, "-c", HOLDER, url(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        refused(path, "in use", str(holder.pid), "PostgreSQL")
        Database(url(path), readonly=True).close()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with Database(url(path)):
        refused(path, "in use")


def test_a_full_disk_undoes_the_transaction(tmp_path: Path) -> None:
    with Database(url(tmp_path / "harvest.db")) as database:
        frontier = Frontier(database, "t")
        assert frontier.seed(["https://a.example/"], now=0) == 1
        with database.transaction() as connection:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        with database.transaction() as connection:
            connection.execute(text(f"PRAGMA max_page_count = {pages + 4}"))
        with pytest.raises(StoreError, match="make room on the disk"):
            frontier.seed([f"https://b{n}.example/{'x' * 100}" for n in range(5000)], now=0)
        assert frontier.counts().waiting == 1
        with database.transaction() as connection:
            connection.execute(text("PRAGMA max_page_count = 1000000"))
        assert frontier.seed([f"https://b{n}.example/" for n in range(50)], now=0) == 50
        assert len(frontier.claim(100, now=1)) == 51


def test_a_transaction_in_a_transaction_is_one(tmp_path: Path) -> None:
    with Database(url(tmp_path / "harvest.db")) as database:
        frontier = Frontier(database, "t")
        with pytest.raises(ZeroDivisionError), database.transaction():
            frontier.seed(["https://a.example/"])
            raise ZeroDivisionError
        assert frontier.counts().waiting == 0
        assert frontier.seed(["https://a.example/"], now=0) == 1
        assert [claim.url for claim in frontier.claim(1, now=1)] == ["https://a.example/"]


def test_closed_is_closed(tmp_path: Path) -> None:
    database = Database(url(tmp_path / "harvest.db"))
    database.close()
    database.close()
    with pytest.raises(StoreError, match="closed"), database.transaction():
        pass


def test_an_older_schema_is_refused_to_a_reader_who_is_told_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "harvest.db"
    with Database(url(path)) as database, database.transaction() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0010'"))
    refused(path, "older version", "0010", "`zhuti store upgrade`", readonly=True)


def test_an_empty_database_holds_no_harvest(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    sqlite3.connect(path).close()
    refused(path, "no harvest yet", readonly=True)


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the remedy is a command of SQLite's own shell")
def test_the_command_that_is_named_saves_what_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "harvest.db"
    with Database(url(path)) as database:
        Frontier(database, "t").seed([f"https://a.example/{n}/{'x' * 300}" for n in range(2000)], now=0)
    content = bytearray(path.read_bytes())
    leaves = [start for start in range(0, len(content), 4096) if content[start] == 0x0D]  # nearly all hold URLs
    start = leaves[len(leaves) // 2]
    content[start : start + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught, Database(url(path)) as database, database.transaction() as connection:
        connection.execute(text("SELECT sum(depth) FROM urls")).scalar()
    subprocess.run(str(caught.value).split("`")[1], shell=True, check=True, capture_output=True)
    with Database(url(Path(f"{path}.recovered"))) as database:
        with database.transaction() as connection:
            saved = connection.execute(text("SELECT count(*) FROM urls")).scalar_one()
        assert 1900 < saved < 2000
        assert Frontier(database, "t").claim(1, now=1)
