"""What is left to be harvested, estimated from the log and the queue. Costs a few milliseconds at any size."""

from __future__ import annotations

from sqlalchemy import Connection, text

from crawler.database.schema import WAS_FETCHED
from crawler.frontier.frontier import SEED_SCORE
from crawler.frontier.politeness import MAX_HOST_FAILURES
from crawler.store.forecast import Lesson, Outlook, Waiting, outlook

WINDOW = 500  # newest fetches that are learned from: scores drift, and so does what they are worth
NEXT = 100  # pages whose harvest rate is expected
ROWS = 10_000  # waiting URLs looked at, the best of each of the best hosts
HOSTS = 500

_LESSONS = text(f"""
SELECT u.score, f.outcome = 'kept', f.counted
FROM (
    SELECT id, url_id, outcome, counted FROM fetches
    WHERE topic_id = :topic AND {WAS_FETCHED}
    ORDER BY id DESC LIMIT :window) f
JOIN urls u ON u.id = f.url_id
WHERE f.outcome <> 'retry' AND u.score < :seed AND u.pinned IS NOT TRUE ORDER BY f.id DESC
""")
_BEST_HOSTS = """
WITH best AS (
    SELECT host_id, q.done > 0 AND h.failures = 0 AS answered FROM queues q JOIN hosts h ON h.id = q.host_id
    WHERE topic_id = :topic AND best_id IS NOT NULL
        AND (h.failures = 0 OR (q.done > 0 AND h.failures < :gone))
    ORDER BY best_score DESC, best_id LIMIT :hosts)
"""
_HOSTS_THERE = text(f"{_BEST_HOSTS} SELECT count(*) FROM best")
_OF_HOST = """
SELECT {what} FROM urls w WHERE w.topic_id = :topic AND w.host_id = best.host_id AND w.state = 0
  AND w.pinned IS NOT TRUE ORDER BY w.score DESC, w.id LIMIT :each
"""
_SCORES = f"{_BEST_HOSTS} SELECT u.score, answered FROM best CROSS JOIN"
_WAITING = {
    "sqlite": text(f"{_SCORES} urls u WHERE u.id IN ({_OF_HOST.format(what='w.id')})"),
    "postgresql": text(f"{_SCORES} LATERAL ({_OF_HOST.format(what='w.score')}) u"),
}


def outlook_of(connection: Connection, topic_id: int, pages: int = NEXT) -> Outlook:
    """What may be expected of the topic's next `pages` pages, and of the rest. Nothing is expected of hosts that are
    given up or have only failed, though their URLs wait."""
    values = {"topic": topic_id, "window": WINDOW, "seed": SEED_SCORE}
    rows = connection.execute(_LESSONS, values)
    lessons = [Lesson(score, bool(kept), bool(counted)) for score, kept, counted in rows]
    hosts = {"topic": topic_id, "hosts": HOSTS, "gone": MAX_HOST_FAILURES}
    each = ROWS // max(1, connection.execute(_HOSTS_THERE, hosts).scalar_one())
    rows = connection.execute(_WAITING[connection.dialect.name], {**hosts, "each": each})
    waiting = [Waiting(score, bool(answered)) for score, answered in rows]
    return outlook(lessons, waiting, pages)
