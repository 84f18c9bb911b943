from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select

from crawler.database.database import Database
from crawler.database.schema import judgements, links, metadata, model_answers, pages, queues, urls
from crawler.errors import StoreError
from crawler.frontier.new_urls import NewUrl
from crawler.labels.labels import Answer
from crawler.records import UrlState
from zhuti.labeller.chat import Said
from zhuti.labeller.session import keep_answer
from zhuti.search.beside import open_index
from zhuti.search.index import SearchIndex
from zhuti.search.query import search, update
from zhuti.upkeep.forget import Forgotten, Order, forget

A1, A2, B, C = "https://a.example/1", "https://www.a.example/2", "https://b.example/", "https://c.example/"
A_NEW, B_NEW = "https://a.example/new", "https://b.example/new"
SECRET = "秘密的词语独一无二"


@pytest.fixture
def harvested(crawl, kept, off_topic):
    crawl.frontier.seed([A1, A2, B, C], now=0)
    found = {claim.url: claim for claim in crawl.claim()}
    crawl.store.commit(
        [
            kept(found[A1], SECRET, {A_NEW: 0.4, B_NEW: 0.4}, at=100.0),
            off_topic(found[A2], at=200.0),
            kept(found[B], "别处的正文。", {A1: 0.3}, at=300.0),
        ]
    )
    crawl.store.commit([kept(found[C], SECRET, at=400.0)])  # repeats A1
    return crawl


@pytest.fixture
def index(crawl, tmp_path: Path) -> SearchIndex:
    return open_index(crawl.url, tmp_path)


def left(crawl) -> set[str]:
    with crawl.database.transaction() as connection:
        return set(connection.execute(select(pages.c.url)).scalars())


def rows(crawl) -> dict[str, int]:
    with crawl.database.transaction() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }


CASES = [
    (Order("a.example"), Forgotten(2, 1, 1), {B, C}),
    (Order("www.a.example"), Forgotten(1, 0, 0), {A1, B, C}),
    (Order("b.example"), Forgotten(1, 1, 1), {A1, A2, C}),
    (Order(before=300.0), Forgotten(2, 1, 0), {B, C}),
    (Order("a.example", before=200.0), Forgotten(1, 1, 0), {A2, B, C}),
    (Order("a.example", topic="t"), Forgotten(2, 1, 1), {B, C}),
    (Order(before=0.0), Forgotten(), {A1, A2, B, C}),
]


@pytest.mark.parametrize(("order", "told", "stays"), CASES)
def test_what_goes(harvested, index, order: Order, told: Forgotten, stays: set[str]) -> None:
    before = rows(harvested)
    assert forget(harvested.database, order, [lambda database: update(database, index)], dry=True) == told
    assert rows(harvested) == before
    assert forget(harvested.database, order, [lambda database: update(database, index)]) == told
    assert left(harvested) == stays
    assert rows(harvested)["fetches"] == before["fetches"]
    assert forget(harvested.database, order, [lambda database: update(database, index)]) == Forgotten()


def test_an_unknown_host_is_a_mistake(harvested) -> None:
    with pytest.raises(StoreError, match=r"no host c\.exampel; did you mean c\.example"):
        forget(harvested.database, Order("c.exampel"))


def test_nothing_refers_to_it(harvested) -> None:
    forget(harvested.database, Order("a.example"))
    with harvested.database.transaction() as connection:
        urls_left = set(connection.execute(select(judgements.c.url_id)).scalars())
        assert set(connection.execute(select(links.c.url_id)).scalars()) <= urls_left
        assert connection.execute(select(judgements.c.duplicate_of)).scalars().all() == [None, None]


def test_what_a_model_said_of_it_goes_too(harvested) -> None:
    with harvested.database.transaction() as connection:
        for url in (A1, B):
            keep_answer(
                connection,
                harvested.frontier.topic_id,
                "m",
                url,
                SECRET,
                Said(Answer.YES, "rules", f"It says {SECRET}."),
            )
    forget(harvested.database, Order("a.example"))
    with harvested.database.transaction() as connection:
        assert connection.execute(select(model_answers.c.url)).scalars().all() == [B]


def test_the_crawl_goes_on_without_the_host(harvested, kept) -> None:
    forget(harvested.database, Order("a.example"))
    harvested.reopen()
    counts = harvested.frontier.counts()
    assert counts.waiting == 1
    claims = harvested.claim(now=1e9)
    assert [claim.url for claim in claims] == [B_NEW]
    harvested.store.commit([kept(claims[0], "新的正文。", {A1: 0.4, A_NEW: 0.4})])
    assert harvested.claim(now=2e9) == []
    with harvested.database.transaction() as connection:
        states = connection.execute(select(urls.c.state)).scalars().all()
        assert set(states) == {int(UrlState.DONE)}
        done = connection.execute(select(func.sum(queues.c.done))).scalar_one()
        assert done == len(states)


def test_the_index_forgets(harvested, index) -> None:
    update(harvested.database, index)
    assert len(search(harvested.database, index, "秘密")) == 1
    forget(harvested.database, Order("a.example"), [lambda database: update(database, index)])
    assert search(harvested.database, index, "秘密") == []
    assert len(index) == 1
    update(harvested.database, index)
    assert len(search(harvested.database, index, "正文")) == 1


def test_an_index_that_does_not_know_the_words_is_made_anew(harvested, index) -> None:
    update(harvested.database, index)
    with harvested.database.transaction() as connection:
        connection.execute(pages.update().where(pages.c.url == A1).values(digest=b"other"))
    forget(harvested.database, Order("a.example"), [lambda database: update(database, index)])
    assert len(index) == 1
    assert update(harvested.database, index) == 0


def test_a_page_that_another_topic_wants_stays(harvested, kept, open_crawl) -> None:
    harvested.database.close()
    other = open_crawl(harvested.url, "other")
    other.frontier.seed([A1], now=0)
    other.store.commit([kept(claim, SECRET, at=150.0) for claim in other.claim()])
    assert forget(other.database, Order("a.example", topic="t")) == Forgotten(1, 0, 1)
    assert left(other) == {A1, B, C}
    assert forget(other.database, Order("a.example")) == Forgotten(1, 1, 0)
    assert left(other) == {B, C}
    other.database.close()


def test_nothing_is_left_in_the_file(harvested, tmp_path: Path) -> None:
    if harvested.database.dialect != "sqlite":
        return  # a server's files are its own
    with harvested.database.transaction() as connection:
        body = bytes(connection.execute(select(pages.c.body).where(pages.c.url == A1)).scalar_one())
    forget(harvested.database, Order("a.example"))
    harvested.database.close()
    assert body not in (tmp_path / "harvest.db").read_bytes()
    harvested.open()


def test_mistakes(harvested) -> None:
    with pytest.raises(StoreError, match="no harvest of topic"):
        forget(harvested.database, Order("a.example", topic="none"))
    with pytest.raises(ValueError, match="names a host"):
        Order()


def test_what_a_worker_finds_meanwhile_is_not_lost(harvested) -> None:
    """On a server others go on: a URL that comes after the order is neither closed nor left out of its host's queue."""
    late = "https://a.example/late"

    def meanwhile(database: Database) -> None:
        harvested.frontier.add([NewUrl(late, 0.1)], now=1e9)

    assert forget(harvested.database, Order("a.example"), [meanwhile]).urls == 1
    assert harvested.frontier.counts().waiting == 2
    assert {claim.url for claim in harvested.claim(now=2e9)} == {late, B_NEW}
