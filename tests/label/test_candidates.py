"""Which pages of a harvest may be asked about, and how many there are like them, on both engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import update

from crawler.database.schema import judgements
from crawler.labels.labels import Answer, Label, add
from crawler.labels.ranked import LOWEST, answered, ranked
from tests.crawls import Crawl, kept as kept
from tests.store.runs import run
from zhuti.label import questions as module
from zhuti.label.expected import BINS
from zhuti.label.questions import candidates, sizes

NEARNESS = {f"https://h{n}.example/": n / 40 for n in range(40)}


@pytest.fixture
def crawl(database_url: str) -> Iterator[Crawl]:
    crawl = Crawl(database_url, "t")
    yield crawl
    crawl.database.close()


@pytest.fixture
def harvested(crawl, kept):
    run(crawl, 100.0, NEARNESS, kept)
    with crawl.database.transaction() as connection:
        for row in connection.execute(judgements.select()).all():
            nearness = row.url_id / 40
            values = {"nearness": nearness, "outcome": "kept" if nearness >= 0.3 else "off-topic"}
            connection.execute(update(judgements).where(judgements.c.url_id == row.url_id).values(values))
    return crawl


def test_pages_by_similarity(harvested) -> None:
    with harvested.database.transaction() as connection:
        found = ranked(connection, 1)
        assert list(found.similarities) == sorted(found.similarities, reverse=True)
        assert min(found.similarities) >= LOWEST
        assert list(found.similarities[found.around(0.5, 2)] >= 0.5) == [True, True, False, False]
        counted = sizes(connection, 1)
        assert sum(counted.values()) == len(found.ids)
        assert {(min(int(s * BINS), BINS - 1), s >= 0.3) for s in found.similarities} == set(counted)


def test_who_was_answered_about_is_not_asked_about(harvested, monkeypatch) -> None:
    monkeypatch.setattr(module, "LOOKED_AT", 3)
    monkeypatch.setattr(module, "SOME", 1)
    with harvested.database.transaction() as connection:
        before = {page.url: page.similarity for page in candidates(connection, 1, 0.3)}
        best = max(before, key=before.__getitem__)
        add(connection, 1, [Label(best, Answer.YES, 1.0)])
        after = {page.url for page in candidates(connection, 1, 0.3)}
        assert best not in after and after < set(before)
        assert sum(abs(similarity - 0.3) < 0.1 for similarity in before.values()) >= 3
        assert len(before) < len(ranked(connection, 1).ids), "a large harvest is not read whole"
        (said,) = answered(connection, 1)
        assert (said.is_kept, said.answer, said.similarity) == (True, True, before[best])


def test_nothing_was_judged(crawl) -> None:
    with crawl.database.transaction() as connection:
        assert candidates(connection, 1, 0.3) == [] and not sizes(connection, 1)
