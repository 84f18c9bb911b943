"""Kept and dropped pages by similarity, and those about which somebody has answered. Of most only two numbers are read:
there may be millions."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from crawler.database.schema import SIMILARITY, judgements, pages
from crawler.database.statements import chunks
from crawler.labels.labels import opinions
from crawler.records import Outcome, similarity_of
from crawler.store.fetch_log import TOLD_APART

FIRST = 20  # answers of the first round of questions
LOWEST = TOLD_APART  # similarity below which nobody is asked: such pages are not stored
AT_ONCE = 10_000  # rows that are read
KEPT, OFF_TOPIC = Outcome.KEPT.value, Outcome.OFF_TOPIC.value


@dataclass(frozen=True, slots=True)
class Judged:
    """A page of the harvest."""

    similarity: float
    is_kept: bool
    answer: bool | None  # whether it was said to belong to the topic; None: nobody answered


@dataclass(frozen=True, slots=True)
class Ranked:
    """Kept and dropped pages that are similar enough to be asked about, the most similar first."""

    ids: NDArray[np.int64]  # of `urls`, shape (pages,)
    similarities: NDArray[np.float64]  # shape (pages,)

    def around(self, similarity: float, most: int) -> NDArray[np.intp]:
        """The places of at most so many pages on each side of this similarity."""
        place = int(np.searchsorted(-self.similarities, -similarity))
        return np.arange(max(0, place - most), min(len(self.ids), place + most))


def ranked(connection: Connection, topic_id: int) -> Ranked:
    ids, similarities = array("q"), array("d")
    ours = (judgements.c.topic_id == topic_id) & judgements.c.outcome.in_((KEPT, OFF_TOPIC)) & (SIMILARITY >= LOWEST)
    query = select(judgements.c.url_id, judgements.c.nearness).where(ours).execution_options(yield_per=AT_ONCE)
    for page_id, nearness in connection.execute(query):
        ids.append(page_id)
        similarities.append(similarity_of(nearness))
    found = np.frombuffer(similarities)
    order = np.argsort(-found, kind="stable")
    return Ranked(np.frombuffer(ids, np.int64)[order], found[order])


def answered(connection: Connection, topic_id: int) -> list[Judged]:
    """The pages of the harvest about which it was said whether they belong to the topic."""
    said = opinions(connection, topic_id)
    found = []
    for chunk in chunks(sorted(said)):
        rows = connection.execute(
            select(pages.c.url, judgements.c.nearness, judgements.c.outcome)
            .join_from(pages, judgements, judgements.c.page_id == pages.c.id)
            .where(judgements.c.topic_id == topic_id, judgements.c.outcome.in_((KEPT, OFF_TOPIC)))
            .where(pages.c.url.in_(chunk))
        )
        found += [Judged(similarity_of(n), outcome == KEPT, said[url]) for url, n, outcome in rows]
    return found
