"""How few hosts are worked at a time: while good hosts rest between two fetches, waiting for them is worth more than
spending the budget on worse ones that happen to be due."""

from __future__ import annotations

from sqlalchemy import Connection, text

EVERY_HOST = -1.7e308  # a bar that every score passes; less is no finite double

LONG = 60.0  # seconds; own choice: sixty times the default DOWNLOAD_DELAY

# CROSS JOIN: see taking.py. Hosts that rest because they fail, or that want to be left alone for long, take nobody's
# place: waiting for them would be the end of the crawl.
_BAR = text("""
SELECT q.best_score FROM queues q CROSS JOIN hosts h
WHERE q.topic_id = :topic AND q.best_id IS NOT NULL AND h.id = q.host_id AND h.rest_until <= :now
  AND h.next_due <= :soon
ORDER BY q.best_score DESC, q.best_id LIMIT 1 OFFSET :better
""")


def bar(connection: Connection, topic_id: int, hosts_at_once: int, now: float) -> float:
    """The least score among the best waiting URLs of the `hosts_at_once` best hosts (0: of all hosts). A host whose
    best URL scores less is not fetched from, due or not."""
    if hosts_at_once <= 0:
        return EVERY_HOST
    score = connection.execute(
        _BAR, {"topic": topic_id, "now": now, "soon": now + LONG, "better": hosts_at_once - 1}
    ).scalar()
    return EVERY_HOST if score is None else float(score)
