from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st
from sqlalchemy import func, select, update

from crawler.database.database import Database
from crawler.database.schema import bases, fetches, links
from crawler.errors import StoreError
from crawler.frontier.frontier import Frontier
from crawler.records import Claim, JudgedPage
from crawler.store.compression import Codec, Packer, base_of, reader
from crawler.store.shared_store import store_for
from tests.store.texts import body, links as links_of

A, B = "a.example", "b.example"


def claims(crawl, host: str, numbers: range) -> list[Claim]:
    crawl.frontier.seed([f"https://{host}/{n}.html" for n in numbers], now=0)
    return sorted(crawl.claim(len(numbers)), key=lambda claim: claim.id)


def harvest(crawl, kept: Callable[..., object], host: str, numbers: range, batch: int = 8) -> None:
    found = claims(crawl, host, numbers)
    visits = [kept(claim, body(n), links_of(host, n), at=float(n)) for claim, n in zip(found, numbers, strict=True)]
    for start in range(0, len(visits), batch):
        crawl.store.commit(visits[start : start + batch])


def values(crawl, column) -> list[bytes]:
    with crawl.database.transaction() as connection:
        return [
            bytes(value) for value in connection.execute(select(column).order_by(*column.table.primary_key)).scalars()
        ]


def count(crawl, table) -> int:
    with crawl.database.transaction() as connection:
        number: int = connection.execute(select(func.count()).select_from(table)).scalar_one()
        return number


def lessons(crawl) -> list[tuple[str, ...]]:
    """The outlinks of every page, as the log tells them."""
    crawl.reopen()
    return [
        tuple(outlink.link.url for outlink in lesson.outlinks)
        for lesson in crawl.scorer.lessons
        if isinstance(lesson, JudgedPage)
    ]


def test_outlinks_are_packed_upon_those_of_an_earlier_page(crawl, kept) -> None:
    harvest(crawl, kept, A, range(20))
    harvest(crawl, kept, B, range(20))
    packed = values(crawl, links.c.packed)
    names = [base_of(value) for value in packed]
    assert count(crawl, bases) == 2 == len(set(names))
    assert None not in names
    assert sum(map(len, packed)) < 0.2 * sum(len(value) for value in values(crawl, bases.c.content)) * 20
    assert lessons(crawl) == [tuple(links_of(host, n)) for host in (A, B) for n in range(20)]


def test_a_new_worker_goes_on_with_the_base(crawl, kept) -> None:
    harvest(crawl, kept, A, range(4))
    crawl.reopen()
    harvest(crawl, kept, A, range(4, 8))
    assert count(crawl, bases) == 1
    assert lessons(crawl) == [tuple(links_of(A, n)) for n in range(8)]


def test_a_page_of_another_kind_becomes_the_next_base(crawl, kept) -> None:
    harvest(crawl, kept, A, range(2))
    found = claims(crawl, A, range(100, 104))
    other = [kept(claim, body(n), links_of(B, n), at=9.0) for claim, n in zip(found, range(100, 104), strict=True)]
    crawl.store.commit(other)
    assert count(crawl, bases) == 2
    assert lessons(crawl)[2:] == [tuple(links_of(B, n)) for n in range(100, 104)]


def test_a_base_that_came_to_nothing_is_forgotten(crawl, kept) -> None:
    """The next fetch gets the id of the one that was rolled back."""
    first, second = claims(crawl, A, range(2))
    with pytest.raises(ZeroDivisionError), crawl.database.transaction():
        crawl.store.commit([kept(first, body(0), links_of(B, 0))])
        raise ZeroDivisionError
    crawl.reopen()
    again = {claim.url: claim for claim in crawl.claim(2)}
    crawl.store.commit([kept(again[first.url], body(0), links_of(A, 0))])
    crawl.store.commit([kept(again[second.url], body(1), links_of(A, 1))])
    assert lessons(crawl) == [tuple(links_of(A, n)) for n in range(2)]


def test_a_packer_forgets_what_was_rolled_back() -> None:
    packer = Packer(codec := Codec())
    packer.outlinks(A, 1, b"old " * 5_000 + bytes(range(256)) * 20)
    packer.reset()
    packer._bases.clear()
    new = bytes(range(256)) * 30
    packed = packer.outlinks(A, 1, new)
    assert codec.unpack(packed) == new


def test_a_retired_base_is_not_used(crawl, kept) -> None:
    harvest(crawl, kept, A, range(2))
    with crawl.database.transaction() as connection:
        connection.execute(update(bases).values(live=False))
    harvest(crawl, kept, A, range(2, 4))
    names = [base_of(value) for value in values(crawl, links.c.packed)]
    assert len(set(names[:2])) == len(set(names[2:])) == 1
    assert names[0] != names[2]


def test_two_workers_pack_upon_one_base(crawl, kept) -> None:
    if crawl.database.dialect == "sqlite":
        return  # a file has one worker
    with Database(crawl.url) as database:
        frontier = Frontier(database, crawl.topic, per_host=100)
        other = store_for(database)(database, frontier, type(crawl.scorer)())
        for start in range(0, 60, 10):
            found = claims(crawl, A, range(start, start + 10))
            visits = [kept(claim, body(claim.id), links_of(A, claim.id)) for claim in found]
            (crawl.store if start % 20 else other).commit(visits)
    assert count(crawl, bases) == 1


contents = st.lists(st.binary(max_size=60), min_size=1, max_size=6).map(lambda parts: b"".join(parts * 40))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([A, B]), contents), min_size=1, max_size=12))
def test_whatever_is_packed_comes_back(pairs: list[tuple[str, bytes]]) -> None:
    with Database("sqlite://") as database, database.transaction() as connection:
        packer = Packer(Codec())
        packed = []
        for n, (host, content) in enumerate(pairs):
            if n % 3 == 0:  # a transaction of its own
                packer.open(connection, [A, B])
            packed.append(packer.outlinks(host, n + 1, content))
            packer.close(connection)
        codec = reader(connection)
        assert [codec.unpack(value) for value in packed] == [content for _, content in pairs]
        assert set(connection.execute(select(fetches.c.id)).scalars()) == set()


def test_a_missing_base_is_told(crawl) -> None:
    packed = b"\x02\x00\x00\x00\x09" + Codec().pack(b"x")
    with (
        crawl.database.transaction() as connection,
        pytest.raises(StoreError, match="needs base 9, which is no longer"),
    ):
        reader(connection).unpack(packed)
    with pytest.raises(StoreError, match="which is in another database"):
        Codec().unpack(packed)
