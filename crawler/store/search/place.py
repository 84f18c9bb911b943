"""Where the index of a harvest lies: in a file beside that of a SQLite harvest, or in its PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from crawler.database.database import parsed, sqlite_path
from crawler.store.search.base import SearchIndex
from crawler.store.search.file_index import SUFFIX, FileIndex


def open_index(store_url: str) -> SearchIndex:
    """Made where there is none. Raises StoreError."""
    if parsed(store_url).get_backend_name() == "sqlite":
        return FileIndex(index_path(store_url))
    from crawler.store.search.server_index import ServerIndex  # who uses SQLite need not have the driver

    return ServerIndex(store_url)


def existing_index(store_url: str) -> SearchIndex | None:
    """None where nobody has searched yet. Raises StoreError."""
    path = index_path(store_url)
    if path is not None:
        return FileIndex(path) if path.is_file() else None
    if parsed(store_url).get_backend_name() == "sqlite":
        return None
    from crawler.store.search.server_index import ServerIndex

    return ServerIndex(store_url) if ServerIndex.exists(store_url) else None


def index_path(store_url: str) -> Path | None:
    """Of a SQLite harvest's index; None for one in memory or on a server."""
    harvest = sqlite_path(parsed(store_url))
    return harvest.with_name(harvest.name + SUFFIX) if harvest is not None else None
