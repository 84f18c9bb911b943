"""Kept pages whose publisher says no later: they are no longer kept, so that no later export or lake has them."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import Connection, func, insert, select, update

from crawler.clock import wall_time
from crawler.database.schema import fetches, hosts, judgements, runs, urls, visits
from crawler.database.statements import chunks
from crawler.messages import _
from crawler.reasons import Reason
from crawler.records import Outcome, refusal

logger = logging.getLogger(__name__)


def kept_of(connection: Connection, topic_id: int, host: str) -> list[tuple[int, str]]:
    """Rows and addresses of the pages that a topic keeps of a host."""
    query = select(urls.c.id, urls.c.url).join_from(urls, judgements, judgements.c.url_id == urls.c.id)
    ours = judgements.c.topic_id == topic_id, judgements.c.outcome == Outcome.KEPT.value
    of_host = urls.c.host_id.in_(select(hosts.c.id).where(hosts.c.name == host))
    return [(row.id, row.url) for row in connection.execute(query.where(*ours, of_host))]


def withdraw(connection: Connection, topic_id: int, refused: Mapping[int, frozenset[str]], host: str) -> None:
    """The judgements of these URLs, by row with what reserves them, become those of pages that may not be kept, and so
    do those of other topics for the same pages. The log says when, as of a visit. Their texts stay until somebody asks
    for their removal. They are visited again, and read, for they may be kept again one day."""
    at, by_reason = wall_time(), defaultdict[Reason, list[int]](list)
    for row, says in refused.items():
        by_reason[refusal(says)].append(row)
    run = connection.execute(select(func.max(runs.c.id)).where(runs.c.topic_id == topic_id)).scalar()
    said = {"topic_id": topic_id, "at": at, "outcome": Outcome.DROPPED.value, "counted": False, "sent": False}
    said |= {"status": 0, "seconds": 0.0, "size": 0, "run_id": run}
    unseen = {"etag": None, "last_modified": None, "content": None, "strayed": 1, "strayed_since": at}
    for reason, rows in by_reason.items():
        for chunk in chunks(rows):
            connection.execute(insert(fetches), [{**said, "url_id": row, "reason": reason} for row in chunk])
            theirs = select(judgements.c.page_id).where(judgements.c.url_id.in_(chunk))
            kept = judgements.c.page_id.in_(theirs), judgements.c.outcome == Outcome.KEPT.value
            connection.execute(update(judgements).where(*kept).values(outcome=Outcome.OFF_TOPIC.value, reason=reason))
            connection.execute(update(visits).where(visits.c.url_id.in_(chunk)).values(unseen))
    told = _("{count} pages of {host} are no longer kept: the site's files reserve them. To remove their texts:")
    logger.warning("%s zhuti store forget-withdrawn --host %s", told.format(count=len(refused), host=host), host)
