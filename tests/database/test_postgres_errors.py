from __future__ import annotations

import pytest
from psycopg import errors as sql

from crawler.database.postgres import store_error

FULL = 'could not extend file "base/1/2": No space left on device\nHINT:  Check free disk space.'


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (sql.DiskFull(FULL), "Check free disk space; make room on the server's disk"),
        (sql.InsufficientPrivilege("permission denied for schema public"), "public; give the user of STORE_URL the"),
        (sql.AdminShutdown("terminating connection"), "connection; start the server"),
        (sql.DataError(), "DataError; fix that"),
    ],
)
def test_an_error_is_one_sentence_with_the_remedy(error: Exception, told: str) -> None:
    assert told in str(store_error("harvest", error))
