"""Frees disk space: drops pages left by deleted rows, and recompresses outlinks and older values,
because the base they need must go, or because they would be smaller by now.

A base holds the outlinks of a page. When that page is forgotten, its base is retired: from that transaction on nobody
packs upon it, whatever a worker remembers. Then every value that needs it is packed without, a batch in a transaction,
and at the end it is deleted. Stopped half-way, it stays retired, and the next call continues.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import LargeBinary, create_engine, delete, func, select, text, update
from sqlalchemy.exc import DBAPIError

from crawler.database.database import Database, parsed
from crawler.database.schema import bases, fetches, hosts, links
from crawler.database.sqlite import RESCUE
from crawler.database.statements import Many, Query, chunks
from crawler.errors import StoreError
from crawler.frontier.new_urls import netloc
from crawler.messages import _
from crawler.store.compression import LEAST_BASE, NAME, Packer, base_of, reader
from crawler.store.names import under

RECOVER = _("save what is intact with `{rescue}`", rescue=RESCUE)

HEADS = 5_000  # values looked at in one transaction
BATCH = 200  # values packed in one transaction
Wanted = Callable[[int | None, int], bool]  # by the base of a value, and its bytes
_OUTLINKS = Query("""
SELECT links.url_id, packed, url, fetch_id
FROM links JOIN urls ON urls.id = links.url_id JOIN judgements ON judgements.url_id = links.url_id
WHERE links.url_id IN :ids
""")
_PUT = Many.update(links, "url_id", "packed")


def vacuum(database: Database, url: str, file: Path | None) -> None:
    """Recompresses what an older version packed larger, then frees the space. `database`
    must be open for writing: a SQLite file is then locked against a crawl. It needs as much free disk as the file has
    bytes. On PostgreSQL workers can go on.

    Raises StoreError: a full disk, a damaged file (which is left alone), a reader that does not end.
    """
    if file is not None:
        with _opened(file) as connection:
            _check(connection, file)
    shrink(database)
    if database.dialect == "postgresql":
        _of_server(url, database.name)
    elif file is not None:
        with _opened(file) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _check(connection: sqlite3.Connection, file: Path) -> None:
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise StoreError(
            _("{file} is damaged ({found}); {remedy}"),
            file=file,
            found=" ".join(found.split()),
            remedy=RECOVER.format(file=file),
        )


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(file, timeout=10, isolation_level=None)
    try:
        yield connection
    except sqlite3.Error as error:
        cause = str(error)
        remedy = (
            _("end the other program that reads it")
            if "locked" in cause
            else _("free {size} more on the disk", size=f"{file.stat().st_size / 1e6:,.0f} MB")
        )
        if "malformed" in cause or "not a database" in cause:
            remedy = RECOVER.format(file=file)
        elif "readonly" in cause:
            remedy = _("make the file and its folder writable")
        raise StoreError(f"{file}: {cause}; {remedy}") from error
    finally:
        connection.close()


def _of_server(url: str, name: str) -> None:
    engine = create_engine(parsed(url), isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text("VACUUM (ANALYZE)"))
            connection.execute(text("REINDEX TABLE CONCURRENTLY urls"))  # entries that come in at random leave gaps
    except DBAPIError as error:
        raise StoreError(_("{name}: {error}; ask the server's administrator"), name=name, error=error.orig) from error
    finally:
        engine.dispose()


def purge(database: Database, host: str, before: float | None) -> None:
    """Removes the bases made of pages of the host and of the hosts below it ("": of any host), fetched before that time
    (None: at any time). To be called when the pages are gone."""
    old = select(bases.c.fetch_id).join_from(bases, fetches, fetches.c.id == bases.c.fetch_id)
    if host:
        old = old.join(hosts, hosts.c.name == bases.c.host).where(under([host]))
    if before is not None:
        old = old.where(fetches.c.at < before)
    with database.transaction() as connection:
        connection.execute(update(bases).where(bases.c.fetch_id.in_(old)).values(live=False))
    _drop_retired(database)


def shrink(database: Database) -> None:
    """Packs upon bases what an older version has packed alone. Workers can go on meanwhile."""
    _repack(database, lambda base, size: base is None and size >= LEAST_BASE, new_bases=True)
    _drop_retired(database)


def _drop_retired(database: Database) -> None:
    with database.transaction(shared=True) as connection:
        gone = set(connection.execute(select(bases.c.fetch_id).where(bases.c.live.is_(False))).scalars())
    if not gone:
        return
    _repack(database, lambda base, size: base in gone, new_bases=False)
    with database.transaction() as connection:
        for chunk in chunks(sorted(gone)):
            connection.execute(delete(bases).where(bases.c.fetch_id.in_(chunk)))


def _repack(database: Database, wanted: Wanted, new_bases: bool) -> None:
    for ids in _found(database, wanted):
        with database.transaction() as connection:
            codec = reader(connection)
            packer = Packer(codec)
            rows = [row for row in _OUTLINKS.rows(connection, ids=ids) if wanted(base_of(row[1]), len(row[1]))]
            packer.open(connection, {netloc(url) for _, _, url, _ in rows})
            new = []
            for row_id, old, url, fetch_id in rows:
                content = codec.unpack(old)
                new.append((row_id, packer.outlinks(netloc(url), fetch_id if new_bases else None, content)))
            packer.close(connection)
            _PUT.run(connection, new)


def _found(database: Database, wanted: Wanted) -> Iterator[Sequence[int]]:
    """The keys of the values that are wanted, BATCH at a time. Only the first bytes of each value are read."""
    head = func.substr(links.c.packed, 1, NAME.size, type_=LargeBinary)
    heads = select(links.c.url_id, head, func.length(links.c.packed)).order_by(links.c.url_id).limit(HEADS)
    since = 0
    while True:
        with database.transaction(shared=True) as connection:
            rows = connection.execute(heads.where(links.c.url_id > since)).all()
        if not rows:
            return
        since = rows[-1][0]
        yield from chunks([row_id for row_id, begins, size in rows if wanted(base_of(begins), size)], BATCH)
