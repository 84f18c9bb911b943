"""What a topic's link scorer had learned at the end of a run: a start reads it, and learns only what came after it.

It is worth nothing once what it was learned from has changed: pages were judged again, forgotten or visited again after
it was kept. A sum over the judgements tells.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, insert, select

from crawler.database.schema import removals, scorer_states
from crawler.database.statements import Query
from crawler.messages import _
from crawler.records import Outcome
from crawler.scorers.base import LinkScorer
from crawler.scorers.state import VERSION, NoForm, packed, unpacked
from crawler.store.compression import MAX_VALUE, Codec

logger = logging.getLogger(__name__)

MOST_KEPT = 500_000_000  # bytes; PostgreSQL holds a gigabyte in a row
MOST_TIMES = 20  # what a state may unpack to, in times its size; of made-up crawls it is 7

# Whole numbers: a sum of floats depends on the order of the rows.
_LESSONS = Query(f"""
SELECT count(*), COALESCE(sum(CAST(nearness * 1000000000 AS BIGINT)), 0),
    COALESCE(sum(CAST(text_relevance * 1000000000 AS BIGINT)), 0), COALESCE(sum(url_id), 0),
    COALESCE(sum(CASE WHEN on_topic THEN 1 ELSE 0 END), 0),
    COALESCE(sum(CASE WHEN outcome = '{Outcome.DUPLICATE.value}' THEN 1 ELSE 0 END), 0)
FROM judgements WHERE topic_id = :topic AND fetch_id <= :until
""")


class Kept(NamedTuple):
    scorer: LinkScorer
    since: int  # the last fetch that it has learned


def keep(connection: Connection, topic_id: int, scorer: LinkScorer, since: int) -> None:
    """Replaces the stored scorer. The next start teaches a scorer again that cannot be packed."""
    discard(connection, topic_id)
    try:
        content = packed(scorer)
    except NoForm as why:
        logger.debug("the next start teaches the link scorer again: %s", why)
        return
    state = Codec().pack(content)
    if len(state) <= MOST_KEPT and len(content) <= _most(state):
        row = {"scorer": scorer.name, "version": VERSION, "since": since, "state": state}
        lessons = _lessons(connection, topic_id, since)
        connection.execute(insert(scorer_states).values(topic_id=topic_id, lessons=lessons, **row))


def _most(state: bytes) -> int:
    """The bytes that it may unpack to."""
    return max(MAX_VALUE, MOST_TIMES * len(state))


def kept(connection: Connection, topic_id: int, name: str) -> Kept | None:
    """The state from which a scorer of this name may go on; None where nothing is kept."""
    columns = scorer_states.c
    fits = (columns.topic_id == topic_id) & (columns.scorer == name)
    row = connection.execute(select(scorer_states).where(fits)).first()
    if row is not None and row.version != VERSION:
        logger.info(_("the link scorer was kept by another version of the program; it learns all pages again"))
        return None
    if row is None or row.lessons != _lessons(connection, topic_id, row.since):
        return None
    try:
        return Kept(unpacked(Codec().unpack(row.state, _most(row.state))), row.since)
    except Exception as error:  # a file of a stranger may hold anything
        logger.warning(_("what the link scorer had learned cannot be read (%s); it learns all pages again"), error)
        return None


def forgotten(connection: Connection) -> int:
    """A number that rises when pages are forgotten: a scorer that has learned them must not be kept."""
    number: int = connection.execute(select(func.coalesce(func.max(removals.c.id), 0))).scalar_one()
    return number


def discard(connection: Connection, topic_id: int | None = None) -> None:
    """`topic_id`: None for all."""
    order = delete(scorer_states)
    connection.execute(order if topic_id is None else order.where(scorer_states.c.topic_id == topic_id))


def _lessons(connection: Connection, topic_id: int, until: int) -> str:
    (sums,) = _LESSONS.rows(connection, topic=topic_id, until=until)
    return " ".join(str(int(number)) for number in sums)
