"""The pages from which questions are chosen, and how many there are like them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from sqlalchemy import Connection, case, func, or_, select

from crawler.database.schema import SIMILARITY, judgements, pages, similarity_bin
from crawler.database.statements import chunks
from crawler.labels.labels import Who, counting, every
from crawler.labels.ranked import FIRST, KEPT, LEAST, OFF_TOPIC, Ranked, ranked
from crawler.reader.html.urls import host
from crawler.records import similarity_of
from zhuti.label.expected import BINS, Sizes
from zhuti.label.questions import LOOKED_AT, Candidate

SOME = 200  # pages on each side of a place of the range


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
