"""Brings an older database to this program's schema, in one transaction: it is upgraded whole or left as it was."""

from __future__ import annotations

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from crawler.database.database import Database, parsed, sqlite_path
from crawler.database.migrate import HEAD
from crawler.errors import StoreError
from crawler.messages import _


def upgrade_store(url: str) -> tuple[str, str]:
    """Upgrades the harvest and returns the revision of its schema before and after.

    Raises StoreError: no harvest there, in use by a crawl, of a newer version, unwritable.
    """
    path = sqlite_path(parsed(url))
    if path is not None and not path.is_file():
        raise StoreError(_("there is no harvest at {path}; start a crawl or set STORE_URL", path=path))
    before = _revision(url)
    Database(url).close()  # opening it for writing is what upgrades it
    return before, HEAD


def _revision(url: str) -> str:
    """ "" where it cannot be read: opening the database will tell why."""
    engine = create_engine(parsed(url), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or "")
    except DBAPIError:
        return ""
    finally:
        engine.dispose()
