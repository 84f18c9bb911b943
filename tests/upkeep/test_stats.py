from __future__ import annotations

from crawler.questions.forecast import Outlook
from zhuti.upkeep.forget import Order, forget
from zhuti.upkeep.housekeeping import TopicStats, stats

A, B, C, D = (f"https://{name}.example/" for name in "abcd")

NOTHING = Outlook(next_rate=0.0, last_rate=0.0, left=0.0, least=0.0, fetches=0)


def test_counts(crawl, kept, off_topic) -> None:
    assert stats(crawl.database, None).topics == (TopicStats("t", 0, 0, 0, 0, None, None, 0, NOTHING),)
    crawl.frontier.seed([A, B, C, D], now=0)
    a, b, c, _ = crawl.claim()
    crawl.store.commit([kept(a, "同一篇", at=5.0), off_topic(b, at=7.0), kept(c, "同一篇", at=9.0)])
    found = stats(crawl.database, None)
    [topic] = found.topics
    assert topic == TopicStats("t", 3, 1, 1, 1, 5.0, 9.0, 1, topic.outlook)
    assert (found.bodies, found.index) == (1, 0)
    assert dict(found.rows)["pages"] == 3
    assert found.body_bytes > 0
    assert found.bytes_per_body > found.body_bytes
    forget(crawl.database, Order("a.example"))
    assert stats(crawl.database, None).bodies == 0
    assert stats(crawl.database, None).bytes_per_body == 0.0
