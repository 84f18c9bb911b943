"""Which judged pages link to a URL, and with which words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from crawler.database.schema import SIMILARITY, fetches, judgements, links, urls
from crawler.records import Outcome, Outlink
from crawler.scorers.base import link_to
from crawler.store.packing.bases import reader

BATCH = 200  # pages in memory at a time


@dataclass(frozen=True, slots=True)
class ParentPage:
    """A judged page that links to the URL."""

    url: str
    fetched_at: float  # seconds since the epoch
    outcome: Outcome
    similarity: float
    outlink: Outlink

    @property
    def worth(self) -> float:
        """In [0, 2]; more for a more similar page and for more relevant words of its link."""
        return self.similarity + self.outlink.own_relevance


def parents(
    connection: Connection, topic_id: int, url: str, progress: Callable[[int, int], None] = lambda done, total: None
) -> list[ParentPage]:
    """Returns all of them, the best first. It unpacks the links of every judged page, about 30 us a page."""
    codec, needle = reader(connection), json.dumps(url, ensure_ascii=False)
    total = connection.execute(select(func.count()).where(judgements.c.topic_id == topic_id)).scalar_one()
    query = (
        select(urls.c.url, fetches.c.at, judgements.c.outcome, SIMILARITY, links.c.packed)
        .join_from(judgements, links, links.c.url_id == judgements.c.url_id)
        .join(urls, urls.c.id == judgements.c.url_id)
        .join(fetches, fetches.c.id == judgements.c.fetch_id)
        .where(judgements.c.topic_id == topic_id)
    )
    found = []
    rows = connection.execute(query, execution_options={"yield_per": BATCH})
    for done, (parent, at, outcome, similarity, packed) in enumerate(rows):
        progress(done, total)
        if needle in codec.unpack_text(packed) and (outlink := link_to(url, codec.unpack_links(packed))):
            found.append(ParentPage(parent, at, Outcome(outcome), similarity, outlink))
    return sorted(found, key=lambda parent: (-parent.worth, parent.fetched_at, parent.url))
