from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy import select, text

from crawler.database.database import Database
from crawler.database.schema import hosts
from crawler.database.statements import Many, Query, _numbers, _texts


@pytest.fixture
def server(postgres_url: str):
    with Database(postgres_url) as database, database.transaction(shared=True) as connection:
        yield connection


letters = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
SHARED = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SHARED
@given(values=st.lists(st.none() | letters | st.sampled_from(["NULL", "{}", ",", '"', "\\", ""])))
def test_texts_come_back(server, values: list[str | None]) -> None:
    assert server.execute(text("SELECT CAST(:it AS text[])"), {"it": _texts(values)}).scalar_one() == values


@SHARED
@given(values=st.lists(st.none() | st.floats(allow_nan=False)))
def test_floats_come_back(server, values: list[float | None]) -> None:
    assert server.execute(text("SELECT CAST(:it AS float8[])"), {"it": _numbers(values)}).scalar_one() == values


def test_others(server) -> None:
    assert _numbers([1, None, 2]) == "{1,NULL,2}"
    assert server.execute(text("SELECT CAST(:it AS bool[])"), {"it": _numbers([True, False])}).scalar_one() == [
        True,
        False,
    ]
    assert _numbers([np.float64(0.5), np.int64(3)]) == "{0.5,3}"


NAMES = ["一", 'with "quotes"', "back\\slash", "comma, and {braces}", "", "NULL"]


def test_new_ids_come_in_the_order_of_the_rows(database_url: str) -> None:
    add = Many.numbered(hosts, "name", "failures")
    with Database(database_url) as database, database.transaction() as connection:
        assert add.run(connection, []) == []
        ids = add.run(connection, [(name, 0) for name in NAMES])
        assert len(add.run(connection, [("one more", 1)])) == 1
        rows = connection.execute(select(hosts.c.id, hosts.c.name))
        assert {row_id: name for row_id, name in rows if row_id in ids} == dict(zip(ids, NAMES, strict=True))


def test_rows_are_changed_and_found_by_lists(database_url: str) -> None:
    add = Many.into(hosts, "name", "next_due")
    postpone = Many(
        "UPDATE hosts SET next_due = hosts.next_due + new.wait FROM new WHERE name = new.host",
        wait="float8",
        host="text",
    )
    due = Query("SELECT name FROM hosts WHERE name IN :names AND next_due >= :least ORDER BY id FOR NO KEY UPDATE")
    with Database(database_url) as database, database.transaction() as connection:
        add.run(connection, [(name, float(place)) for place, name in enumerate(NAMES)])
        postpone.run(connection, [(10.0, NAMES[1]), (20.0, NAMES[2]), (20.0, "nobody")])
        assert due.rows(connection, names=NAMES, least=5.0) == [(name,) for name in (NAMES[1], NAMES[2], NAMES[5])]
        assert due.value(connection, names=[NAMES[2], "nobody"], least=22.0) == NAMES[2]
        assert due.value(connection, names=[], least=0.0) is None
        by_id = Query("SELECT count(*) FROM hosts WHERE id IN :ids")
        assert [by_id.value(connection, ids=ids) for ids in ([1, 2, 3, 77], [])] == [3, 0]
