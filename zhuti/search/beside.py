"""What the rest of the program asks of the search index that lies beside a harvest."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.database.database import Database, parsed, sqlite_path
from crawler.errors import StoreError
from crawler.messages import _
from crawler.mistakes import needs

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from zhuti.search.index import SearchIndex

SUFFIX = ".search"
LIMIT = 10  # hits of a search


def open_index(store_url: str, server_folder: Path) -> SearchIndex:
    """The index of a harvest, made where there is none: beside the file of a SQLite harvest, or in `server_folder` for
    one on PostgreSQL. Raises StoreError."""
    place = _place(store_url, server_folder)
    with needs("search", StoreError):
        from zhuti.search.index import SearchIndex
    return SearchIndex(place)


def existing_index(store_url: str, server_folder: Path) -> SearchIndex | None:
    """The index of a harvest; None where nobody has searched yet. Raises StoreError."""
    return open_index(store_url, server_folder) if _place(store_url, server_folder).exists() else None


def _place(store_url: str, server_folder: Path) -> Path:
    url = parsed(store_url)
    if (harvest := sqlite_path(url)) is not None:
        return harvest.with_name(harvest.name + SUFFIX)
    name = re.sub(r"[^\w.-]", "_", f"{url.host or 'localhost'}-{url.port or 5432}-{url.database}")
    return server_folder / f"{name}{SUFFIX}"


def update_index(url: str, folder: Path) -> str:
    """Brings the index of the harvest at `url` up to date and tells so. `folder`: REPORTS_DIR. Raises StoreError."""
    from crawler.tell.progress import progress_bar  # rich: not for the other tasks

    with Database(url, readonly=True) as database:
        index = open_index(url, folder)
        from zhuti.search.query import update  # Tantivy, which `open_index` has found

        with progress_bar(_("index")) as progress:
            count = update(database, index, progress)
        return _("{count:,} pages indexed, {size:,} in the index.", count=count, size=len(index))


def index_bytes(url: str, folder: Path) -> int:
    """0 where nobody has searched yet. Raises StoreError."""
    index = existing_index(url, folder)
    return index.size if index else 0


def before_removal(settings: BaseSettings) -> Callable[[Database], None] | None:
    """What takes removed pages out of the index; None where there is none. Raises StoreError before anything is removed
    where the index cannot be opened. The index of another machine is rebuilt by the next search there."""
    index = existing_index(settings["STORE_URL"], Path(settings["REPORTS_DIR"]))
    if index is None:
        return None
    from zhuti.search.query import update  # Tantivy, which `existing_index` has found

    def take_out(database: Database) -> None:
        update(database, index)

    return take_out
