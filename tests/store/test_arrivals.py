"""Workers of a PostgreSQL hand their visits to the one that leads, which stores each once, whatever becomes of it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from sqlalchemy import insert, text

from crawler.database.database import Database
from crawler.database.schema import arrivals as table
from crawler.frontier.frontier import Frontier
from crawler.reasons import Code, Reason
from crawler.records import (
    Analysis,
    Claim,
    Extraction,
    JudgedPage,
    Judgement,
    Link,
    Outcome,
    Outlink,
    PageKind,
    Post,
    Seen,
    Visit,
    WarcPlace,
)
from crawler.scorers.registry import scorer
from crawler.store.arrivals import AT_ONCE, UNREAD, Handover, forget_unread, key_of, waiting
from crawler.store.compression import Codec
from crawler.store.shared_store import store_for
from tests.harvester import address, visit

PAGES = 31


class Worker:
    """As one process of a crawl: a connection, a frontier and a store of its own."""

    def __init__(self, url: str, name: str = "best-first") -> None:
        self.database = Database(url)
        self.frontier = Frontier(self.database, "t", per_host=9)
        self.scorer = scorer(name)
        self.store = store_for(self.database)(self.database, self.frontier, self.scorer)
        self.handover = Handover(self.database, self.frontier.topic_id, self.frontier.worker)

    def visits(self, now: float = 1e9) -> list[Visit]:
        return [visit(claim, PAGES) for claim in self.store.claim(4, now)]

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with self.database.transaction(shared=True) as connection:
            return [tuple(row) for row in connection.execute(text(query))]


def takes_over(worker: Worker) -> None:
    """The lock falls with the connection, as soon as the server notices."""
    deadline = time.monotonic() + 20
    while not worker.store.lead():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def workers(postgres_url: str) -> Iterator[tuple[Worker, Worker]]:
    """The first leads."""
    first, second = Worker(postgres_url), Worker(postgres_url)
    first.frontier.seed([address(1)])
    assert first.store.lead() and not second.store.lead()
    yield first, second
    for worker in (first, second):
        worker.database.close()


def test_a_visit_is_stored_once_and_answered_once(workers: tuple[Worker, Worker]) -> None:
    first, second = workers
    handed = second.visits()
    second.handover.give(handed)
    second.handover.give(handed)  # as after a connection that was lost
    assert second.handover.answers() == {}
    assert first.store.commit([]) == []
    assert second.handover.answers() == {key_of(one): Outcome.KEPT for one in handed}
    assert second.handover.answers() == {}
    assert first.rows("SELECT count(*) FROM arrivals") == [(0,)]
    assert first.rows("SELECT count(*) FROM fetches") == [(1,)]
    assert first.store.fetched() == 1
    second.store.catch_up()
    assert (second.store.fetched(), second.store.kept()) == (1, 1)


def test_a_leader_that_fails_has_stored_and_answered_nothing(
    workers: tuple[Worker, Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = workers
    second.handover.give(second.visits())

    def fails(*_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="killed"):
        patch.setattr("crawler.store.arrivals.answer", fails)
        first.store.commit([])
    assert second.handover.answers() == {}
    assert first.rows("SELECT count(*) FROM fetches") == [(0,)]
    first.database.close()
    takes_over(second)
    second.store.commit([])
    assert list(second.handover.answers().values()) == [Outcome.KEPT]


def test_who_takes_over_has_learned_the_same(postgres_url: str) -> None:
    first, second = Worker(postgres_url, "learned"), Worker(postgres_url, "learned")
    first.frontier.seed([address(1)])
    first.store.lead()
    while visits := first.visits():
        first.store.commit(visits)
    first.database.close()
    takes_over(second)
    links = tuple(Outlink(Link(f"https://new.example/{n}", f"第{n}页"), n / 9) for n in range(9))
    page = JudgedPage("https://new.example/", 0.5, True, 0.2, 1, 0, links)
    assert second.scorer.observe(page) == first.scorer.observe(page)
    assert second.store.fetched() == PAGES
    second.database.close()


@pytest.mark.parametrize("stored_before", [False, True])
def test_who_has_handed_over_and_leads_then_stores_once(workers: tuple[Worker, Worker], stored_before: bool) -> None:
    """Its connection was lost before it knew that the visits lay in the table, or that another had stored them."""
    first, second = workers
    visits = second.visits()
    second.handover.give(visits)
    if stored_before:
        first.store.commit([])
    first.database.close()
    takes_over(second)
    assert second.store.commit(visits) == [Outcome.KEPT]
    assert second.handover.answers() == {key_of(one): Outcome.KEPT for one in visits}
    assert second.rows("SELECT count(*), count(*) FILTER (WHERE counted) FROM fetches") == [(1, 1)]
    assert second.store.fetched() == 1


def test_what_a_leader_has_stored_before_its_connection_was_lost(workers: tuple[Worker, Worker]) -> None:
    """It cannot know, and hands it over to the next one."""
    first, second = workers
    visits = first.visits()
    first.store.commit(visits)
    first.database.connect()  # anew: the lock is free
    takes_over(second)
    assert not first.store.lead()
    first.handover.give(visits)
    second.store.commit([])
    assert first.handover.answers() == {key_of(one): Outcome.KEPT for one in visits}
    assert first.rows("SELECT count(*) FROM fetches") == [(1,)]


@pytest.mark.parametrize("content", [b"\x00", Codec().pack(b"[1, 2]"), Codec().pack(b"\x81\xa5claim\x01")])
def test_what_another_version_wrote_is_fetched_again(content: bytes, workers: tuple[Worker, Worker]) -> None:
    first, second = workers
    (made,) = second.visits()
    with second.database.transaction() as connection:
        row = {"topic_id": second.frontier.topic_id, "worker": second.frontier.worker, "url_id": made.claim.id}
        connection.execute(insert(table).values(**row, at=made.fetched_at, visit=content))
    first.store.commit([])
    assert second.handover.answers() == {key_of(made): Outcome.RETRY}
    assert first.rows("SELECT count(*) FROM fetches") == [(0,)]


@pytest.mark.parametrize(
    "made",
    [
        Visit(
            Claim(1, "https://a.example/", 0.5),
            Outcome.REDIRECT,
            5.0,
            301,
            Reason(Code.REDIRECT, url="https://b/"),
            target="https://b/",
        ),
        Visit(Claim(1, "https://a.example/", 0.5), Outcome.FORBIDDEN, 5.0, sent=False),
        Visit(
            Claim(1, "https://a.example/", 0.5, 2, 1, 3, 1, "feed", Seen("e", "l", b"\x00\xff", 7.5)),
            Outcome.KEPT,
            5.25,
            200,
            analysis=Analysis(
                Extraction("题", "正文\x00", "2026-01-02", "某人", PageKind.THREAD, posts=(Post("帖", floor=2),)),
                Judgement(0.5, True, 0.25, "why"),
                visit(Claim(1, address(2), 0.5), PAGES).analysis.outlinks,
                signature=b"\x00\x80\xff",
                subjects=("标签",),
                forbids=frozenset({"noai"}),
                rests_until=9.5,
            ),
            place=WarcPlace("a.warc", 12, "<urn:uuid:1>"),
            seen=Seen(content=b"\xff"),
            costly=True,
        ),
    ],
    ids=["redirect", "forbidden", "page"],
)
def test_nothing_of_a_visit_is_lost_on_the_way(made: Visit, workers: tuple[Worker, Worker]) -> None:
    first, second = workers
    second.handover.give([made])
    with first.database.transaction() as connection:
        assert [*waiting(connection, first.frontier.topic_id).values()] == [made]


def test_many_are_taken_at_once_but_not_all(workers: tuple[Worker, Worker]) -> None:
    first, second = workers
    (made,) = second.visits()
    second.handover.give([Visit(made.claim, Outcome.RETRY, float(n)) for n in range(AT_ONCE + 1)])
    with first.database.transaction() as connection:
        assert len(waiting(connection, first.frontier.topic_id)) == AT_ONCE


def test_answers_that_nobody_reads_are_removed(workers: tuple[Worker, Worker]) -> None:
    first, second = workers
    (made,) = second.visits()
    second.handover.give([made])
    with first.database.transaction() as connection:
        forget_unread(connection, made.fetched_at + 2 * UNREAD)
    assert first.rows("SELECT count(*) FROM arrivals") == [(1,)], "it is not stored yet"
    first.store.commit([])
    with first.database.transaction() as connection:
        forget_unread(connection, made.fetched_at + 2 * UNREAD)
    assert first.rows("SELECT count(*) FROM arrivals") == [(0,)]
