"""What crawls have kept in a database. Apart from the rest: it needs SQLAlchemy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

from crawler.database.database import Database
from crawler.document import Document
from crawler.errors import ExportError
from crawler.store.names import topic_id_of, topic_ids
from zhuti.export.selection import Selection, documents, with_left

__all__ = ["Document", "Harvest"]


class Harvest(AbstractContextManager["Harvest", None]):
    """What crawls have kept in a database. It is opened for reading, so a crawl may go on.

    Args:
        store_url: as in STORE_URL.

    Raises:
        StoreError: there is no harvest.
    """

    def __init__(self, store_url: str = "sqlite:///data/harvest.db") -> None:
        self._database = Database(store_url, readonly=True)

    @property
    def topics(self) -> list[str]:
        """The names of all topics in it."""
        with self._database.transaction(shared=True) as connection:
            return list(topic_ids(connection))

    def pages(self, topic: str, **conditions: Any) -> Iterator[Document]:
        """Kept pages in the order in which they were found; some hundred of them are in memory.

        Args:
            topic: its name.
            conditions: min_similarity, since, until, fetched_since, hosts, languages, kinds, min_length, no_duplicates,
                since_run, changed; as the options of `zhuti export`. With `since_run`, `more["why"]` of each says what
                has happened to it since; the addresses that are "gone" come last, without texts.

        Raises:
            ExportError: unknown topic.
        """
        with self._database.transaction(shared=True) as connection:
            topic_id, selection = topic_id_of(connection, topic, ExportError), Selection(**conditions)
            yield from with_left(connection, topic_id, selection, documents(connection, topic_id, selection))

    def close(self) -> None:
        """Close the database; `with Harvest() as harvest:` does so at its end."""
        self._database.close()

    def __exit__(self, *_: object) -> None:
        self.close()
