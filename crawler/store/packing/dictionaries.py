"""What values are packed with, as rows: bases of hosts, and dictionaries trained on bodies.

A dictionary is never changed, and its id, that of a fetch, is never given again. So a value is read with what its name
says, whoever wrote it and whenever. What is not `live` any more serves readers only, until `store.repacking` has packed
its last value anew. Written in transactions that write alone, so which of them are live does not change within one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection, bindparam, func, insert, literal_column, select, union_all

from crawler.database.among import among
from crawler.database.batches import Many
from crawler.database.direct import Query
from crawler.database.store_schema import bases, dictionaries, pages, samples
from crawler.errors import StoreError
from crawler.store.packing.codec import Codec, Kind

_CONTENT = {
    Kind.TRAINED: select(dictionaries.c.content).where(dictionaries.c.fetch_id == bindparam("id")),
    Kind.BASE: select(bases.c.content).where(bases.c.fetch_id == bindparam("id")),
}
_NEWEST = (
    select(dictionaries.c.fetch_id, dictionaries.c.bodies)
    .where(dictionaries.c.live.is_(True))
    .order_by(dictionaries.c.fetch_id.desc())
    .limit(1)
)
_LIVE = Query(  # in one statement: it is asked at each commit
    union_all(
        select(bases.c.host, func.max(bases.c.fetch_id), literal_column("0"))
        .where(among(bases.c.host, "hosts"), bases.c.live.is_(True))
        .group_by(bases.c.host),
        select(literal_column("''"), *_NEWEST.subquery().c),
    )
)
_BASES = select(bases.c.fetch_id, bases.c.content).where(among(bases.c.fetch_id, "ids"))
_ADD_BASES = Many.into(bases, "fetch_id", "host", "live", "content")


@dataclass(frozen=True, slots=True)
class Trained:
    """The dictionary that bodies are packed with."""

    id: int
    bodies: int  # stored when it was trained


def reader(connection: Connection) -> Codec:
    """A codec that reads whatever this database holds, within the transaction."""
    return Codec(partial(content_of, connection))


def content_of(connection: Connection, kind: Kind, id: int) -> bytes:
    """Raises StoreError when it is not there."""
    packed = connection.execute(_CONTENT[kind], {"id": id}).scalar()
    if packed is None:
        raise StoreError(
            f"the database has no dictionary {kind.name} {id} any more, which a text needs; where `scrapy store forget`"
            " or `vacuum` runs, start this again when it has ended"
        )
    return Codec().unpack(packed)


def live(connection: Connection, hosts: Iterable[str]) -> tuple[dict[str, int], Trained | None]:
    """The newest base of each host that has one, and the newest dictionary."""
    found = {host: (id, bodies) for host, id, bodies in _LIVE.rows(connection, hosts=sorted(hosts))}
    trained = found.pop("", None)
    return {host: id for host, (id, _) in found.items()}, trained and Trained(*trained)


def teach(connection: Connection, codec: Codec, base_ids: Iterable[int]) -> None:
    """All bases that the codec does not remember, in one statement."""
    missing = [id for id in base_ids if not codec.knows(Kind.BASE, id)]
    if missing:
        for id, packed in connection.execute(_BASES, {"ids": missing}):
            codec.learn(Kind.BASE, id, codec.unpack(packed))


def add_bases(connection: Connection, new: Iterable[tuple[int, str, bytes]]) -> None:
    """Id, host, and outlinks packed alone."""
    _ADD_BASES.run(connection, [(id, host, True, packed) for id, host, packed in new])


def newest(connection: Connection) -> Trained | None:
    row = connection.execute(_NEWEST).first()
    return None if row is None else Trained(*row)


def add(connection: Connection, trained: Trained, content: bytes, since: Mapping[str, float]) -> None:
    """`since`: the earliest fetch of each host among the samples, in seconds since the epoch."""
    row = {"fetch_id": trained.id, "bodies": trained.bodies, "live": True, "content": Codec().pack(content)}
    connection.execute(insert(dictionaries), row)
    rows = [{"dictionary_id": trained.id, "host": host, "since": at} for host, at in since.items()]
    connection.execute(insert(samples), rows)


def bodies(connection: Connection) -> int:
    """How many are stored."""
    count = select(func.count()).select_from(pages).where(pages.c.digest.is_not(None))
    number: int = connection.execute(count).scalar_one()
    return number
