"""The version of a database's schema, and how to bring it up to this program's.

Alembic is imported only when there is something to do: a new or an older database. Opening a current one costs one
SELECT.
"""

from __future__ import annotations

import threading
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from crawler.errors import StoreError
from crawler.messages import _

KNOWN = tuple(f"{number:04}" for number in range(1, 11))  # revisions this program can upgrade from, oldest first
HEAD = KNOWN[-1]  # revision of the newest file in migrations/versions; a test compares
ONE_AT_A_TIME = threading.Lock()  # Alembic keeps what it works on in a module, and a process may hold two crawls
MIGRATIONS = Path(__file__).parent / "migrations"


def is_current(connection: Connection, subject: str) -> bool:
    """True when the schema is this program's, False when it is older or the database is empty.

    Raises StoreError when the database belongs to another program, or to a newer version of this one.
    """
    tables = set(inspect(connection).get_table_names())
    if not tables:
        return False
    if "alembic_version" not in tables or "urls" not in tables:
        raise StoreError(_("{subject} is the database of another program; choose another STORE_URL", subject=subject))
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if revision not in KNOWN:
        raise StoreError(
            _(
                "{subject} was written by a newer version of this program (schema {revision}, this one knows"
                " {head}); update the program or choose another STORE_URL",
                subject=subject,
                revision=revision,
                head=HEAD,
            )
        )
    return bool(revision == HEAD)


def refusal(connection: Connection, subject: str) -> str:
    """What to do about a database that `is_current` has called older or empty, when it may not be written."""
    if not inspect(connection).get_table_names():
        return _("{subject} holds no harvest yet; start a crawl on it first", subject=subject)
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return _(
        "{subject} was written by an older version of this program (schema {revision}, this one"
        " needs {head}); run `scrapy store upgrade`, which keeps all that is in it",
        subject=subject,
        revision=revision,
        head=HEAD,
    )


def upgrade(connection: Connection) -> None:
    """Brings the schema to HEAD, in the caller's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    with ONE_AT_A_TIME:
        command.upgrade(config, "head")
