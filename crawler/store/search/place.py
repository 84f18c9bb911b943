"""Where the index of a harvest lies."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from sqlalchemy.engine import make_url

from crawler.errors import StoreError
from crawler.frontier.database import sqlite_path
from crawler.store.search.index import SUFFIX


def index_path(store_url: str) -> Path | None:
    """Beside the file of a SQLite harvest; for a harvest on a server in this user's cache, one for each machine that
    searches. None for a harvest in memory. Raises StoreError for a cache folder that cannot be made."""
    url = make_url(store_url)
    harvest = sqlite_path(url)
    if harvest is not None:
        return harvest.with_name(harvest.name + SUFFIX)
    if url.get_backend_name() == "sqlite":
        return None
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zhuti"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make {folder} ({error.strerror}); set XDG_CACHE_HOME to a place you may write to"
        ) from error
    server = f"{url.host}:{url.port}/{url.database}"
    return folder / f"{blake2b(server.encode(), digest_size=8).hexdigest()}{SUFFIX}"
