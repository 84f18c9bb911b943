"""The pages that may be asked about, by similarity. Of most only two numbers are read: there may be millions."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, case, func, or_, select

from crawler.database.schema import SIMILARITY, judgements, pages, similarity_bin
from crawler.database.statements import chunks
from crawler.labels.expected import BINS, Judged, Sizes
from crawler.labels.labels import Answer, Who, counting, every
from crawler.labels.questions import FIRST, LEAST, LOOKED_AT, Candidate
from crawler.reader.html.urls import host
from crawler.records import Outcome, similarity_of

AT_ONCE = 10_000  # rows that are read
SOME = 200  # pages on each side of a place of the range
KEPT, OFF_TOPIC = Outcome.KEPT.value, Outcome.OFF_TOPIC.value


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
    ours = (judgements.c.topic_id == topic_id) & judgements.c.outcome.in_((KEPT, OFF_TOPIC)) & (SIMILARITY >= LEAST)
    query = select(judgements.c.url_id, judgements.c.nearness).where(ours).execution_options(yield_per=AT_ONCE)
    for page_id, nearness in connection.execute(query):
        ids.append(page_id)
        similarities.append(similarity_of(nearness))
    found = np.frombuffer(similarities)
    order = np.argsort(-found, kind="stable")
    return Ranked(np.frombuffer(ids, np.int64)[order], found[order])


def candidates(connection: Connection, topic_id: int, threshold: float, known: Ranked | None = None) -> list[Candidate]:
    """From which the next questions are chosen: the most similar pages, those nearest to the threshold, and some over
    the whole range; of them those that are stored with their text and that no person has answered about. `known`: what
    `ranked` has found."""
    known = ranked(connection, topic_id) if known is None else known
    if not len(known.ids):
        return []
    odds = np.log(known.similarities / (1 - known.similarities))
    range_of = 1 / (1 + np.exp(-np.linspace(odds[0], odds[-1], FIRST)))
    places = [known.around(1.0, LOOKED_AT), known.around(threshold, LOOKED_AT)]
    places += [known.around(float(similarity), SOME) for similarity in range_of]
    said = {url for url, label in counting(every(connection, topic_id)).items() if label.who is Who.PERSON}
    found = []
    for chunk in chunks(known.ids[np.unique(np.concatenate(places))].tolist()):
        rows = connection.execute(
            select(pages.c.url, pages.c.title, judgements.c.nearness)
            .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
            .where(judgements.c.url_id.in_(chunk), pages.c.body.is_not(None))
        )
        found += [Candidate(url, host(url), title, similarity_of(n)) for url, title, n in rows if url not in said]
    return found


def sizes(connection: Connection, topic_id: int) -> Sizes:
    """How many pages of the harvest there are in each bin of similarity, kept and dropped."""
    bucket = similarity_bin(BINS).label("bin")
    kept = case((judgements.c.outcome == KEPT, 1), else_=0).label("kept")
    of_harvest = or_(judgements.c.outcome == KEPT, (judgements.c.outcome == OFF_TOPIC) & (SIMILARITY >= LEAST))
    each = select(bucket, kept).where(judgements.c.topic_id == topic_id, of_harvest).subquery()
    query = select(each.c.bin, each.c.kept, func.count()).group_by(each.c.bin, each.c.kept)
    found: Sizes = Counter()
    for place, is_kept, number in connection.execute(query):
        found[min(place, BINS - 1), bool(is_kept)] += number
    return found


def answered(connection: Connection, topic_id: int) -> list[Judged]:
    """The pages of the harvest about which it was said whether they belong to the topic."""
    said = {
        url: label.answer is Answer.YES
        for url, label in counting(every(connection, topic_id)).items()
        if label.answer is not Answer.UNSURE
    }
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
