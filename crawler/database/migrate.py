"""The version of a database's schema, and how an older one is brought up to this program's.

A new database gets the tables of schema.py. An older one gets its columns renamed, then the tables, columns and indexes
that it lacks, and its rows what belongs into them. The table that holds the version is Alembic's, which made the first
harvests. Schemas before 0010, that of version 0.1.0, were in no release.
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text
from sqlalchemy.schema import CreateColumn

from crawler.database import address_key, former_reasons
from crawler.database.schema import metadata
from crawler.errors import StoreError
from crawler.messages import _
from crawler.records import Outcome

KNOWN = tuple(f"{number:04}" for number in range(10, 30))  # versions this program can upgrade from, oldest first
HEAD = KNOWN[-1]  # raise it when the schema gets something more

VERSION = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))

RENAMED = (("judgements", "similarity", "nearness"), ("urls", "door", "index_kind"))  # table, before 0011, since
RECORDED = (("fetches", "outcome"), ("judgements", "outcome"))  # columns of records.Outcome
FORMER_OUTCOME = "door"  # what Outcome.INDEX_FILE was before 0011

# Before version 0025 nobody noted it.
PROVEN = text("""
UPDATE queues SET proven = TRUE WHERE (topic_id, host_id) IN (
    SELECT topic_id, host_id FROM urls WHERE depth = 0
    UNION SELECT u.topic_id, u.host_id FROM urls u JOIN judgements j ON j.url_id = u.id WHERE j.outcome = 'kept')
""")


# News that the same commit showed on a page that was visited for the first time had the link scorer's score, pinned.
UNPINNED = text("""
UPDATE urls SET pinned = NULL WHERE pinned AND state = 0 AND further_of IS NULL AND score > 0 AND score < 30
    AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.url_id = urls.id)
""")


def is_current(connection: Connection, subject: str) -> bool:
    """True when the schema is this program's, False when it is older or the database is empty.

    Raises StoreError when the database belongs to another program, or to a version of this one that is newer, or older
    than the first release.
    """
    tables = set(inspect(connection).get_table_names())
    if not tables:
        return False
    if VERSION.name not in tables or "urls" not in tables:
        raise StoreError(_("{subject} is the database of another program; choose another STORE_URL"), subject=subject)
    revision = _revision(connection)
    if revision < KNOWN[0]:
        raise StoreError(
            _(
                "{subject} was written before version 0.1.0 (schema {revision}); open it once with version 0.3.0, or"
                " choose another STORE_URL"
            ),
            subject=subject,
            revision=revision,
        )
    if revision not in KNOWN:
        raise StoreError(
            _(
                "{subject} was written by a newer version of this program (schema {revision}, this one knows"
                " {head}); update the program or choose another STORE_URL"
            ),
            subject=subject,
            revision=revision,
            head=HEAD,
        )
    return revision == HEAD


def refusal(connection: Connection, subject: str) -> str:
    """What to do about a database that `is_current` has called older or empty, when it may not be written."""
    if not inspect(connection).get_table_names():
        return _("{subject} holds no harvest yet; start a crawl on it first", subject=subject)
    return _(
        "{subject} was written by an older version of this program (schema {revision}, this one"
        " needs {head}); run `zhuti store upgrade`, which keeps all that is in it",
        subject=subject,
        revision=_revision(connection),
        head=HEAD,
    )


def upgrade(connection: Connection) -> None:
    """Brings the schema to HEAD, in the caller's transaction."""
    before = set(inspect(connection).get_table_names())
    _rename(connection, before)
    metadata.create_all(connection)
    if not before:
        VERSION.create(connection)
        connection.execute(VERSION.insert().values(version_num=HEAD))
        return
    _complete(connection, before)
    if _revision(connection) < "0020":
        former_reasons.bring_over(connection)
    connection.execute(VERSION.update().values(version_num=HEAD))


def _rename(connection: Connection, before: set[str]) -> None:
    """Gives columns and outcomes their names of today; a database that has them already stays as it is."""
    for table, former, name in RENAMED:
        if table in before and former in {column["name"] for column in inspect(connection).get_columns(table)}:
            connection.execute(text(f"ALTER TABLE {table} RENAME COLUMN {former} TO {name}"))
    for table, column in RECORDED:
        if table in before:
            became = text(f"UPDATE {table} SET {column} = :outcome WHERE {column} = :former")
            connection.execute(became, {"outcome": Outcome.INDEX_FILE.value, "former": FORMER_OUTCOME})


def _complete(connection: Connection, before: set[str]) -> None:
    """What an older database lacks in the tables that it had `before`."""
    for table in (table for table in metadata.sorted_tables if table.name in before):
        known = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in (column for column in table.columns if column.name not in known):
            written = str(CreateColumn(column).compile(dialect=connection.dialect))
            refers = "".join(f" REFERENCES {key.column.table} ({key.column.name})" for key in column.foreign_keys)
            connection.execute(text(f"ALTER TABLE {table} ADD COLUMN {written}{refers}"))
        for index in table.indexes:
            index.create(connection, checkfirst=True)
    if _revision(connection) < "0025":
        connection.execute(PROVEN)
    if _revision(connection) < "0029":
        connection.execute(UNPINNED)
    connection.execute(text("DROP TABLE IF EXISTS meanings"))  # vectors of a model that is not asked since 0028
    if connection.dialect.name == "postgresql":
        connection.execute(address_key.DROP_FORMER)
        connection.execute(text("ANALYZE urls"))  # a plan without statistics of the key reads the whole table


def _revision(connection: Connection) -> str:
    return str(connection.execute(select(VERSION.c.version_num)).scalar())
