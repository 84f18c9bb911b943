from sqlalchemy import select

from crawler.database.batches import Many
from crawler.database.database import Database
from crawler.database.schema import hosts

NAMES = ["一", 'with "quotes"', "back\\slash", "comma, and {braces}", "", "NULL"]


def test_new_ids_come_in_the_order_of_the_rows(database_url: str) -> None:
    add = Many.numbered(hosts, "name", "failures")
    with Database(database_url) as database, database.transaction() as connection:
        assert add.run(connection, []) == []
        ids = add.run(connection, [(name, 0) for name in NAMES])
        assert len(add.run(connection, [("one more", 1)])) == 1
        rows = connection.execute(select(hosts.c.id, hosts.c.name))
        assert {id: name for id, name in rows if id in ids} == dict(zip(ids, NAMES, strict=True))
