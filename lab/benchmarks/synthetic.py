"""A harvest of made-up pages, for measuring what is done with a large one: dictionary words by Zipf's law."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jieba
import numpy as np
from sqlalchemy import insert

from crawler.database.database import Database
from crawler.database.schema import fetches, hosts, judgements, links, pages, queues, runs, topics, urls
from crawler.reader.text.tokens import stop_words
from crawler.reasons import NONE, Code, Reason
from crawler.records import Link, Outcome, Outlink, PageKind, UrlState
from crawler.store.compression import Codec, links_as_bytes
from crawler.store.duplicates import digest

TOPIC = "made-up"
VOCABULARY = 60_000  # words
HOSTS = 500
BATCH = 1_000  # pages in a transaction
Rows = dict[str, list[dict[str, object]]]  # by table
LINKS = 57  # of a page; the mean of recorded pages


def vocabulary() -> list[str]:
    """Words of two characters or more that count, the most frequent first."""
    lines = Path(jieba.__file__).with_name("dict.txt").read_text("utf-8").splitlines()
    ranked = sorted((line.split(" ") for line in lines), key=lambda entry: -int(entry[1]))
    return [entry[0] for entry in ranked if len(entry[0]) > 1 and entry[0] not in stop_words()][:VOCABULARY]


def bodies(count: int, length: int, seed: int = 7) -> Iterator[str]:
    """Made-up bodies of `length` words on average."""
    words, random = vocabulary(), np.random.default_rng(seed)
    shares = 1.0 / np.arange(2.0, len(words) + 2.0)
    shares /= shares.sum()
    for _ in range(0, count, BATCH):
        sizes = random.integers(length // 2, length * 3 // 2, size=BATCH)
        chosen = random.choice(len(words), size=int(sizes.sum()), p=shares)
        for part in np.split(chosen, np.cumsum(sizes)[:-1]):
            yield "。\n".join(
                "".join(words[place] for place in line) for line in np.array_split(part, max(1, len(part) // 12))
            )


def make(url: str, count: int, length: int) -> int:
    """Fills an empty database with `count` pages. Returns the size of their bodies as UTF-8 text, in bytes."""
    codec, size = Codec(), 0
    outlinks = [Outlink(Link(f"https://h1.example/{n}", f"锚文本{n}"), n / LINKS) for n in range(LINKS)]
    packed = codec.pack(links_as_bytes(outlinks))
    source = enumerate(bodies(count, length), start=1)
    with Database(url) as database:
        with database.transaction() as connection:
            connection.execute(insert(topics).values(id=1, name=TOPIC))
            connection.execute(insert(hosts), [{"id": n + 1, "name": f"h{n}.example"} for n in range(HOSTS)])
            queue = {"topic_id": 1, "served_at": 0.0, "done": count // HOSTS}
            connection.execute(insert(queues), [{"host_id": n + 1, **queue} for n in range(HOSTS)])
            run = {"id": 1, "topic_id": 1, "started_at": 1.7e9, "ended_at": 1.7e9 + count, "budget": 0}
            connection.execute(insert(runs).values(**run, ended=Reason(Code.FINISHED)))
        for _ in range(0, count, BATCH):
            rows: Rows = {name: [] for name in ("urls", "pages", "fetches", "judged", "links")}
            for row_id, body in (next(source) for _ in range(BATCH)):
                _add(rows, row_id, body, codec, packed)
                size += len(body.encode())
            with database.transaction() as connection:
                for table, name in zip((urls, pages, fetches, judgements, links), rows, strict=True):
                    connection.execute(insert(table), rows[name])
    return size


def _add(rows: Rows, row_id: int, body: str, codec: Codec, packed: bytes) -> None:
    url, title, at = f"https://h{row_id % HOSTS}.example/{row_id}", body[:12].replace("\n", ""), 1.7e9 + row_id
    queue = {"topic_id": 1, "host_id": row_id % HOSTS + 1, "state": int(UrlState.DONE), "score": 0.5}
    about = {"depth": 1, "distance": 0, "hops": 0, "tries": 0, "found_at": at}
    rows["urls"].append({"id": row_id, "url": url, **queue, **about})
    says = {"published": None, "language": "zh", "author": "", "kind": PageKind.ARTICLE.value, "status": 200}
    kept = {"body": codec.pack_text(body), "digest": digest(body), "fetched_at": at}
    rows["pages"].append({"id": row_id, "url": url, "title": title, **says, **kept})
    log = {"at": at, "counted": True, "status": 200, "seconds": 0.1, "size": 30_000, "reason": NONE, "run_id": 1}
    rows["fetches"].append({"id": row_id, "topic_id": 1, "url_id": row_id, "outcome": Outcome.KEPT.value, **log})
    worth = {"nearness": row_id % 1000 / 1000, "text_relevance": 0.1, "on_topic": True, "reason": NONE}
    ends = {"outcome": Outcome.KEPT.value, "duplicate_of": None}
    rows["judged"].append({"url_id": row_id, "fetch_id": row_id, "topic_id": 1, "page_id": row_id, **ends, **worth})
    rows["links"].append({"url_id": row_id, "packed": packed})
