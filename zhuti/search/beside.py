"""What the rest of the program asks of the search index that lies beside a harvest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.database.database import Database
from crawler.messages import _
from zhuti.search.place import existing_index, open_index

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


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
