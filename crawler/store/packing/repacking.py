"""Values packed anew: because the dictionary they need must go, or because they would be smaller by now.

A dictionary holds pieces of the pages it was made of. When one of these is forgotten, the dictionary is retired: from
that transaction on nobody packs with it, whatever a worker remembers. Then every value that needs it is packed without,
a batch in a transaction, and at the end it is deleted. Stopped half-way it stays retired, and the next call goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Connection, LargeBinary, bindparam, delete, func, select, update

from crawler.database.among import among
from crawler.database.batches import Many, chunks
from crawler.database.database import Database
from crawler.database.schema import hosts, urls
from crawler.database.store_schema import bases, fetches, judgements, links, pages, samples
from crawler.database.store_schema import dictionaries as trained
from crawler.frontier.found import host_of
from crawler.store.packing import dictionaries, training
from crawler.store.packing.codec import NAME, Kind, name_of
from crawler.store.packing.dictionaries import reader
from crawler.store.packing.packer import LEAST_BASE, Packer
from crawler.store.upkeep.hosts import under

HEADS = 5_000  # values looked at in one transaction
BATCH = 200  # values packed in one transaction

Named = tuple[Kind, int] | None  # the dictionary of a value
Wanted = Callable[[Named, int], bool]  # by the dictionary of a value, and its bytes

_BODIES = select(pages.c.id, pages.c.body).where(among(pages.c.id, "ids"), pages.c.body.is_not(None))
_OUTLINKS = (
    select(links.c.url_id, links.c.packed, urls.c.url, judgements.c.fetch_id)
    .join_from(links, urls, urls.c.id == links.c.url_id)
    .join(judgements, judgements.c.url_id == links.c.url_id)
    .where(among(links.c.url_id, "ids"))
)
_PUT_BODY = Many(update(pages).where(pages.c.id == bindparam("row")).values(body=bindparam("new")), ["new", "row"])
_PUT_OUTLINKS = Many(
    update(links).where(links.c.url_id == bindparam("row")).values(packed=bindparam("new")), ["new", "row"]
)


def purge(database: Database, host: str, before: float | None) -> None:
    """Rids the dictionaries of text of pages of the host and the hosts below it ("": of any), fetched before that time
    (None: ever). To be called when the pages are gone: what stays may become part of a new dictionary."""
    with database.transaction() as connection:
        _retire_those_of(connection, host, before)
    _drop_retired(database)


def shrink(database: Database) -> None:
    """Packs with the newest dictionary and upon bases what an older version, or an earlier day of the crawl, has packed
    without. Workers can go on meanwhile."""
    with database.transaction() as connection:
        newest = dictionaries.newest(connection)
        if dictionaries.bodies(connection) >= training.due(newest):
            newest = _train(connection) or newest
        id = newest.id if newest else None
        connection.execute(update(trained).where(trained.c.fetch_id != id).values(live=False))
    if id is not None:
        _repack_bodies(database, lambda name, size: name != (Kind.TRAINED, id))
    _repack_outlinks(database, lambda name, size: name is None and size >= LEAST_BASE, new_bases=True)
    _drop_retired(database)


def _retire_those_of(connection: Connection, host: str, before: float | None) -> None:
    of_base, of_sample = [hosts.c.name == bases.c.host], [hosts.c.name == samples.c.host]
    if host:
        of_base.append(under([host]))
        of_sample.append(under([host]))
    if before is not None:
        of_base.append(fetches.c.at < before)
        of_sample.append(samples.c.since < before)
    old_bases = select(bases.c.fetch_id).join_from(bases, fetches).join(hosts, of_base[0]).where(*of_base[1:])
    old = select(samples.c.dictionary_id).join_from(samples, hosts, of_sample[0]).where(*of_sample[1:])
    connection.execute(update(bases).where(bases.c.fetch_id.in_(old_bases)).values(live=False))
    connection.execute(update(trained).where(trained.c.fetch_id.in_(old)).values(live=False))


def _drop_retired(database: Database) -> None:
    with database.transaction() as connection:
        gone: set[Named] = {(Kind.TRAINED, id) for id in _retired(connection, trained.c.fetch_id, trained.c.live)}
        gone |= {(Kind.BASE, id) for id in _retired(connection, bases.c.fetch_id, bases.c.live)}
        if not gone:
            return
        if dictionaries.newest(connection) is None and dictionaries.bodies(connection) >= training.FIRST:
            _train(connection)
    _repack_bodies(database, lambda name, size: name in gone)
    _repack_outlinks(database, lambda name, size: name in gone, new_bases=False)
    with database.transaction() as connection:
        for id in _retired(connection, trained.c.fetch_id, trained.c.live):
            connection.execute(delete(samples).where(samples.c.dictionary_id == id))
        connection.execute(delete(trained).where(trained.c.live.is_(False)))
        connection.execute(delete(bases).where(bases.c.live.is_(False)))


def _retired(connection: Connection, id: Column[int], live: Column[bool]) -> Sequence[int]:
    return connection.execute(select(id).where(live.is_(False))).scalars().all()


def _train(connection: Connection) -> dictionaries.Trained | None:
    """Under the id of the newest fetch, unless a dictionary has it."""
    id: int = connection.execute(select(func.coalesce(func.max(fetches.c.id), 0))).scalar_one()
    if id in connection.execute(select(trained.c.fetch_id)).scalars().all():
        return None
    return training.train(connection, reader(connection), id, dictionaries.bodies(connection))


def _repack_bodies(database: Database, wanted: Wanted) -> None:
    for ids in _found(database, pages.c.id, pages.c.body, wanted):
        with database.transaction() as connection:
            codec = reader(connection)
            packer = Packer(codec)
            packer.open(connection, ())
            rows = connection.execute(_BODIES, {"ids": ids}).all()
            new = [(packer.body(codec.unpack_text(old)), id) for id, old in rows if wanted(name_of(old), len(old))]
            _PUT_BODY.run(connection, new)


def _repack_outlinks(database: Database, wanted: Wanted, new_bases: bool) -> None:
    for ids in _found(database, links.c.url_id, links.c.packed, wanted):
        with database.transaction() as connection:
            codec = reader(connection)
            packer = Packer(codec)
            rows = [row for row in connection.execute(_OUTLINKS, {"ids": ids}) if wanted(name_of(row[1]), len(row[1]))]
            packer.open(connection, {host_of(url) for _, _, url, _ in rows})
            new = []
            for id, old, url, fetch_id in rows:
                content = codec.unpack(old)
                new.append((packer.outlinks(host_of(url), fetch_id if new_bases else None, content), id))
            packer.close(connection)
            _PUT_OUTLINKS.run(connection, new)


def _found(database: Database, key: Column[int], value: Column[Any], wanted: Wanted) -> Iterator[Sequence[int]]:
    """Keys of the values that are wanted, BATCH at a time, by the first bytes of each."""
    head = func.substr(value, 1, NAME.size, type_=LargeBinary)
    since = 0
    while True:
        with database.transaction(shared=True) as connection:
            query = select(key, head, func.length(value)).where(key > since, value.is_not(None)).order_by(key)
            rows = connection.execute(query.limit(HEADS)).all()
        if not rows:
            return
        since = rows[-1][0]
        yield from chunks([id for id, begins, size in rows if wanted(name_of(begins), size)], BATCH)
