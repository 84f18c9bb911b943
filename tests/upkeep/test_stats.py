from __future__ import annotations

from zhuti.upkeep.forget import Order, forget
from zhuti.upkeep.housekeeping import stats

A, B, C, D = (f"https://{name}.example/" for name in "abcd")


def test_counts(crawl, kept, off_topic) -> None:
    assert stats(crawl.database, None).topics[0].startswith("\nt\n  0 fetches \n  0 kept, 0 off topic, 0 duplicates\n")
    crawl.frontier.seed([A, B, C, D], now=0)
    a, b, c, _ = crawl.claim()
    crawl.store.commit([kept(a, "同一篇", at=5.0), off_topic(b, at=7.0), kept(c, "同一篇", at=9.0)])
    found = stats(crawl.database, None)
    [topic] = found.topics
    assert topic.startswith(
        "\nt\n  3 fetches 1970-01-01 to 1970-01-01\n  1 kept, 1 off topic, 1 duplicates\n  waiting 1"
    )
    assert (found.bodies, found.index) == (1, 0)
    assert dict(found.rows)["pages"] == 3
    assert found.body_bytes > 0
    assert found.bytes_per_body > found.body_bytes
    forget(crawl.database, Order("a.example"))
    assert stats(crawl.database, None).bodies == 0
    assert stats(crawl.database, None).bytes_per_body == 0.0
