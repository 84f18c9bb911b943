from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from crawler.database.arrays import numbers, texts
from crawler.database.database import Database


@pytest.fixture
def server(postgres_url: str):
    with Database(postgres_url) as database, database.transaction(shared=True) as connection:
        yield connection


letters = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
SHARED = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@SHARED
@given(values=st.lists(st.none() | letters | st.sampled_from(["NULL", "{}", ",", '"', "\\", ""])))
def test_texts_come_back(server, values: list[str | None]) -> None:
    assert server.execute(text("SELECT CAST(:it AS text[])"), {"it": texts(values)}).scalar_one() == values


@SHARED
@given(values=st.lists(st.none() | st.floats(allow_nan=False)))
def test_floats_come_back(server, values: list[float | None]) -> None:
    assert server.execute(text("SELECT CAST(:it AS float8[])"), {"it": numbers(values)}).scalar_one() == values


def test_others(server) -> None:
    assert numbers([1, None, 2]) == "{1,NULL,2}"
    assert server.execute(text("SELECT CAST(:it AS bool[])"), {"it": numbers([True, False])}).scalar_one() == [
        True,
        False,
    ]
    assert numbers([np.float64(0.5), np.int64(3)]) == "{0.5,3}"
