"""What is left to be harvested, estimated from the log and the queue. Costs a few milliseconds at any size."""

from __future__ import annotations

from sqlalchemy import Connection, text

from crawler.frontier.frontier import SEED_SCORE
from crawler.store.forecast import Lesson, Outlook, outlook

WINDOW = 500  # newest fetches that are learned from: scores drift, and so does what they are worth
NEXT = 100  # pages whose harvest rate is expected
ROWS = 10_000  # waiting URLs looked at, the best of each of the best hosts
HOSTS = 500

_LESSONS = text("""
SELECT u.score, f.outcome = 'kept', f.counted
FROM (SELECT id, url_id, outcome, counted FROM fetches WHERE topic_id = :topic ORDER BY id DESC LIMIT :window) f
JOIN urls u ON u.id = f.url_id
WHERE f.outcome <> 'retry' AND u.score < :seed AND u.pinned IS NOT TRUE ORDER BY f.id DESC
""")
_BEST_HOSTS = """
WITH best AS (
    SELECT host_id FROM queues WHERE topic_id = :topic AND best_id IS NOT NULL
    ORDER BY best_score DESC, best_id LIMIT :hosts)
"""
_HOSTS_THERE = text(f"{_BEST_HOSTS} SELECT count(*) FROM best")
_OF_HOST = """
SELECT {what} FROM urls w WHERE w.topic_id = :topic AND w.host_id = best.host_id AND w.state = 0
  AND w.pinned IS NOT TRUE ORDER BY w.score DESC, w.id LIMIT :each
"""
_WAITING = {
    "sqlite": text(
        f"{_BEST_HOSTS} SELECT u.score FROM best CROSS JOIN urls u WHERE u.id IN ({_OF_HOST.format(what='w.id')})"
    ),
    "postgresql": text(
        f"{_BEST_HOSTS} SELECT u.score FROM best CROSS JOIN LATERAL ({_OF_HOST.format(what='w.score')}) u"
    ),
}


def outlook_of(connection: Connection, topic_id: int, pages: int = NEXT) -> Outlook:
    """What may be expected of the topic's next `pages` pages, and of the rest."""
    values = {"topic": topic_id, "window": WINDOW, "seed": SEED_SCORE}
    rows = connection.execute(_LESSONS, values)
    lessons = [Lesson(score, bool(kept), bool(counted)) for score, kept, counted in rows]
    hosts = {"topic": topic_id, "hosts": HOSTS}
    each = ROWS // max(1, connection.execute(_HOSTS_THERE, hosts).scalar_one())
    waiting = list(connection.execute(_WAITING[connection.dialect.name], {**hosts, "each": each}).scalars())
    return outlook(lessons, waiting, pages)
