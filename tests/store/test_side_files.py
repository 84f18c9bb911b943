"""robots.txt and the like are kept until they expire, and no longer."""

from __future__ import annotations

import os

from crawler.database.database import Database
from crawler.store import side_files
from crawler.store.side_files import MOST_KEPT, SideFile

FILE = SideFile("http://a.example/robots.txt", 200, b"User-agent: *\nDisallow: /x\n", 100.0)


def test_kept_until_it_expires(database: Database) -> None:
    with database.transaction() as connection:
        side_files.keep(connection, "a.example", "/robots.txt", FILE)
        assert side_files.kept(connection, "a.example", "/robots.txt", 99.0) == FILE
        assert side_files.kept(connection, "a.example", "/robots.txt", 100.0) is None
        assert side_files.kept(connection, "a.example", "/ai.txt", 0.0) is None
        assert side_files.kept(connection, "a.example:8080", "/robots.txt", 0.0) is None


def test_the_last_one_counts(database: Database) -> None:
    newer = FILE._replace(status=404, body=b"", expires_at=300.0)
    with database.transaction() as connection:
        for file in (FILE, newer):
            side_files.keep(connection, "a.example", "/robots.txt", file)
        side_files.forget_old(connection, 200.0)
        assert side_files.kept(connection, "a.example", "/robots.txt", 200.0) == newer
        side_files.forget_old(connection, 300.0)
        assert side_files.kept(connection, "a.example", "/robots.txt", 0.0) is None


def test_a_large_one_is_asked_for_again(database: Database) -> None:
    with database.transaction() as connection:
        side_files.keep(connection, "a.example", "/robots.txt", FILE._replace(body=os.urandom(MOST_KEPT)))
        assert side_files.kept(connection, "a.example", "/robots.txt", 0.0) is None
