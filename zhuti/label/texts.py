"""The texts of stored pages."""

from __future__ import annotations

from sqlalchemy import Connection, select

from crawler.database.schema import pages
from crawler.store.compression import reader


def body_of(connection: Connection, url: str) -> str:
    """ "" where the page is not stored, or without a text."""
    stored = connection.execute(select(pages.c.body).where(pages.c.url == url)).scalar()
    return reader(connection).unpack_text(stored) if stored else ""
