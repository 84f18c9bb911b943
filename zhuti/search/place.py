"""Where the search index of a harvest lies. Tantivy, which makes it, is an extra: who never searches needs none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.database.database import parsed, sqlite_path
from crawler.errors import StoreError
from crawler.messages import _

if TYPE_CHECKING:
    from zhuti.search.index import SearchIndex

SUFFIX = ".search"
LIMIT = 10  # hits of a search


def open_index(store_url: str, server_folder: Path) -> SearchIndex:
    """The index of a harvest, made where there is none: beside the file of a SQLite harvest, or in `server_folder` for
    one on PostgreSQL. Raises StoreError."""
    place = _place(store_url, server_folder)
    try:
        from zhuti.search.index import SearchIndex
    except ImportError as error:
        raise StoreError(
            _("the search index needs tantivy ({error}); pip install 'zhuti[search]'"), error=error
        ) from error
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
