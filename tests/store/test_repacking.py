from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import delete, select, update

from crawler.database.database import Database
from crawler.database.schema import bases, links, pages
from crawler.store.compression import BASE, Codec, base_of, reader
from tests.store.texts import body, links as links_of
from zhuti.export.selection import Selection, documents
from zhuti.upkeep.forget import Order, forget
from zhuti.upkeep.vacuum import vacuum
from zhuti.why.explanation import parents

A, B = "a.example", "b.example"
SECRET = "此处有一段不可外传的秘密文字，请勿转载。"
COUNT = 50


@pytest.fixture
def harvested(crawl, kept: Callable[..., object]):
    """Pages of two hosts, in turns; each of A's says the secret, all after the first have a base."""
    crawl.frontier.seed([f"https://{host}/{n}.html" for n in range(COUNT) for host in (A, B)], now=0)
    visits = []
    for claim in sorted(crawl.claim(2 * COUNT), key=lambda claim: claim.id):
        host, n = claim.url.split("/")[2], int(claim.url.rsplit("/", 1)[1].removesuffix(".html"))
        text = body(2 * n + (host == A)) + (SECRET if host == A else "")
        anchors = links_of(host, n) | {f"https://{host}/{SECRET}": 0.0}
        visits.append(kept(claim, text, anchors, at=float(n)))
    for start in range(0, len(visits), 10):
        crawl.store.commit(visits[start : start + 10])
    return crawl


def everything(crawl) -> tuple[dict[str, str], dict[int, tuple[str, ...]]]:
    """Bodies and outlinks, read."""
    with crawl.database.transaction() as connection:
        codec = reader(connection)
        bodies = connection.execute(select(pages.c.url, pages.c.body).order_by(pages.c.id))
        packed = connection.execute(select(links.c.url_id, links.c.packed).order_by(links.c.url_id))
        return (
            {url: codec.unpack_text(value) for url, value in bodies},
            {row_id: tuple(outlink.link.url for outlink in codec.unpack_links(value)) for row_id, value in packed},
        )


def contents(crawl) -> list[bytes]:
    """Of all bases."""
    with crawl.database.transaction() as connection:
        return [Codec().unpack(row) for row in connection.execute(select(bases.c.content)).scalars()]


def test_what_a_site_owner_asks_for_is_in_no_base(harvested) -> None:
    secret = SECRET[3:9].encode()
    assert sum(secret in content for content in contents(harvested)) == 2
    bodies, outlinks = everything(harvested)
    forget(harvested.database, Order(A))
    left = contents(harvested)
    assert sum(secret in content for content in left) == 1  # B's own links say it
    after, links_after = everything(harvested)
    assert after == {url: text for url, text in bodies.items() if B in url}
    assert links_after.items() <= outlinks.items()
    assert len(links_after) == COUNT
    with harvested.database.transaction() as connection:
        assert connection.execute(select(bases.c.host)).scalars().all() == [B]


def test_nothing_of_it_is_left_in_the_file(harvested, tmp_path: Path) -> None:
    if harvested.database.dialect != "sqlite":
        return  # a server's files are its own
    with harvested.database.transaction() as connection:
        old = [bytes(row) for row in connection.execute(select(bases.c.content).where(bases.c.host == A)).scalars()]
    forget(harvested.database, Order(A))
    harvested.database.close()
    file = (tmp_path / "harvest.db").read_bytes()
    assert len(old) == 1
    assert all(value[100:400] not in file for value in old)
    harvested.open()


def test_an_order_by_time(harvested) -> None:
    bodies, _ = everything(harvested)
    forget(harvested.database, Order(before=10.0))
    assert everything(harvested)[0] == {url: text for url, text in bodies.items() if int(url[18:-5]) >= 10}
    with harvested.database.transaction() as connection:
        assert connection.execute(select(bases.c.fetch_id)).all() == []
        names = {base_of(bytes(value)) for value in connection.execute(select(links.c.packed)).scalars()}
    assert names == {None}


def test_one_that_was_stopped_goes_on(harvested) -> None:
    with harvested.database.transaction() as connection:
        connection.execute(update(bases).values(live=False))
    before = everything(harvested)
    forget(harvested.database, Order(before=0.0))
    assert everything(harvested) == before
    assert contents(harvested) == []


def test_a_worker_beside_it_packs_with_nothing_that_goes(harvested, kept) -> None:
    """Its memory is older than the order."""
    forget(harvested.database, Order(A))
    new = {
        f"https://{host}/new.html": "".join(chr(0x4E00 + 50 * n + ord(host[0])) for n in range(200)) for host in (A, B)
    }
    for url, text in new.items():
        harvested.frontier.seed([url], now=0)
        claims = harvested.claim(1, now=1e9)
        harvested.store.commit([kept(claim, text, links_of(url.split("/")[2], 777)) for claim in claims])
    bodies, outlinks = everything(harvested)
    assert new.items() <= bodies.items()
    assert {tuple(links_of(host, 777)) for host in (A, B)} <= set(outlinks.values())


def test_every_reader_reads_all_forms(harvested) -> None:
    bodies, _ = everything(harvested)
    with harvested.database.transaction() as connection:
        topic = harvested.frontier.topic_id
        assert {d.url: d.body for d in documents(connection, topic, Selection())} == bodies
        assert len(parents(connection, topic, f"https://{A}/{SECRET}")) == COUNT


def older(crawl) -> None:
    """As a version without bases has left it."""
    bodies, _ = everything(crawl)
    with crawl.database.transaction() as connection:
        codec = reader(connection)
        for url, text in bodies.items():
            connection.execute(update(pages).where(pages.c.url == url).values(body=Codec().pack_text(text)))
        for row_id, packed in connection.execute(select(links.c.url_id, links.c.packed)).all():
            alone = Codec().pack(codec.unpack(packed))
            connection.execute(update(links).where(links.c.url_id == row_id).values(packed=alone))
        connection.execute(delete(bases))


def test_vacuum_packs_what_an_older_version_has_left(harvested, tmp_path: Path) -> None:
    older(harvested)
    before = everything(harvested)
    file = tmp_path / "harvest.db" if harvested.database.dialect == "sqlite" else None
    vacuum(harvested.database, harvested.url, file)
    assert everything(harvested) == before
    with harvested.database.transaction() as connection:
        assert connection.execute(select(bases.c.host)).scalars().all() == [A, B]
        assert {bytes(value)[0] for value in connection.execute(select(links.c.packed)).scalars()} == {BASE}
    vacuum(harvested.database, harvested.url, file)
    assert everything(harvested) == before


def test_a_harvest_of_nothing() -> None:
    with Database("sqlite://") as database:
        vacuum(database, "sqlite://", None)
        forget(database, Order(before=1e12))
        with database.transaction() as connection:
            assert connection.execute(select(bases)).all() == []
