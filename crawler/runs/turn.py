"""One harvest of a topic at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crawler.database.database import Database, parsed, sqlite_path
from crawler.database.locks import FileLock, take_harvest
from crawler.errors import InUse, StoreError
from crawler.frontier.fleet import Fleet
from crawler.messages import _
from crawler.store.names import topic_ids


@contextmanager
def exclusively(url: str, topic: str) -> Iterator[Database]:
    """Gives the database, to read in, while no other process harvests the topic; a SQLite file has one crawl at a time,
    so there: any topic. A database that is not there is made, an older one upgraded. The turn ends with the process,
    whatever ends that.

    Raises InUse where another process harvests, or crawls; StoreError.
    """
    path, lock = sqlite_path(parsed(url)), None
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path.with_name(f"{path.name}.harvest.lock"), str(path))
        except OSError as error:
            raise StoreError(
                _("cannot write in the folder of {path} ({error.strerror}); choose another STORE_URL"),
                path=path,
                error=error,
            ) from error
    try:
        Database(url).close()  # makes or upgrades it, and tells whether a crawl is at work in the file
        with Database(url, readonly=True) as database:
            if path is None:
                _take(database, topic)
            yield database
    finally:
        if lock is not None:
            lock.release()


def _take(database: Database, topic: str) -> None:
    with database.transaction(shared=True) as connection:
        topic_id = topic_ids(connection).get(topic)
        working = topic_id is not None and Fleet(database, topic_id, worker="").are_at_work(connection)
        if working or not take_harvest(connection, topic):
            raise InUse(_("topic {topic!r} is being crawled by another process; wait for it"), topic=topic)
