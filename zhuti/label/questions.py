"""Which pages to ask about: half of them near the threshold, where most mistakes are; the others first over the whole
range of similarity, which tells where the threshold belongs, and after the first round among the best.

Answers about the most similar pages alone would teach one corner of the topic. So a round takes at most two pages of a
host, and none whose title is nearly that of another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice, pairwise, zip_longest
from math import exp, log

import numpy as np
from sqlalchemy import Connection, case, func, or_, select

from crawler.database.schema import SIMILARITY, judgements, pages, similarity_bin
from crawler.database.statements import chunks
from crawler.labels.labels import Who, counting, every
from crawler.labels.ranked import FIRST, KEPT, LOWEST, OFF_TOPIC, Ranked, ranked
from crawler.messages import N_
from crawler.reader.html.urls import host
from crawler.records import similarity_of
from zhuti.label.expected import BINS, Sizes

ROUND = 10
OF_A_HOST = 2  # questions of a round
ALIKE = 0.6  # share of two titles' pairs of characters, above which only one of them is asked about
LOOKED_AT = 2_000  # pages of each kind that are looked at for a round

OVER_THE_RANGE = N_("over the range of similarity")
NEAR = N_("near the threshold")
BEST = N_("among the most similar")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page whose text is stored, and about which nobody has answered."""

    url: str
    host: str
    title: str
    similarity: float  # in [0, 1)


@dataclass(frozen=True, slots=True)
class Question:
    candidate: Candidate
    why: str  # it was chosen


def questions(candidates: Iterable[Candidate], threshold: float, answered: int) -> list[Question]:
    """What is left of the round, near the threshold and elsewhere in turn; fewer where there are not so many pages.
    `answered`: how many answers there are."""
    ranked = sorted(candidates, key=lambda page: (-page.similarity, page.url))
    ranked = [page for page in ranked if page.similarity >= LOWEST]
    taken = _Taken()
    left = left_of_round(answered)
    near = ((page, NEAR) for page in filter(taken.takes, _around(ranked, threshold)))
    if answered < FIRST:
        others = ((page, OVER_THE_RANGE) for page in _over_the_range(ranked, range(answered // 2, FIRST // 2), taken))
    else:
        others = ((page, BEST) for page in filter(taken.takes, ranked[:LOOKED_AT]))
    first, second = (near, others) if answered % 2 == 0 else (others, near)
    in_turn = chain.from_iterable(zip_longest(islice(first, (left + 1) // 2), islice(second, left // 2)))
    return [Question(*found) for found in in_turn if found is not None]


def left_of_round(answered: int) -> int:
    """How many questions of the round are left after so many answers."""
    return FIRST - answered if answered < FIRST else ROUND - (answered - FIRST) % ROUND


def near_threshold(candidates: Iterable[Candidate], threshold: float, most: int) -> list[Candidate]:
    """At most so many pages, the nearest first; of a host at most OF_A_HOST in ROUND."""
    ranked = sorted(candidates, key=lambda page: (-page.similarity, page.url))
    taken = _Taken(OF_A_HOST * -(-most // ROUND))
    near = filter(taken.takes, (page for page in _around(ranked, threshold) if page.similarity >= LOWEST))
    return list(islice(near, most))


def _over_the_range(ranked: Sequence[Candidate], places: range, taken: _Taken) -> Iterator[Candidate]:
    """The page nearest to each of the places, which are spread evenly over the log odds. Places before were asked
    about: after each answer a round is chosen again."""
    if not ranked:
        return
    top, low = _odds(ranked[0].similarity), _odds(ranked[-1].similarity)
    for number in places:
        place = top - (top - low) * number / (FIRST // 2 - 1)
        yield from islice(filter(taken.takes, _around(ranked, 1 / (1 + exp(-place)))), 1)


def _around(ranked: Sequence[Candidate], similarity: float) -> Iterator[Candidate]:
    """Sorts pages by how near their similarity is, the nearest first."""
    place = bisect_left(ranked, -similarity, key=lambda page: -page.similarity)
    above = ((_gap(page, similarity), page) for page in reversed(ranked[max(0, place - LOOKED_AT) : place]))
    below = ((_gap(page, similarity), page) for page in ranked[place : place + LOOKED_AT])
    return (page for _, page in merge(above, below, key=lambda pair: pair[0]))


def _gap(page: Candidate, similarity: float) -> float:
    """How far the page is from that similarity, in log odds."""
    return abs(_odds(page.similarity) - _odds(similarity))


def _odds(similarity: float) -> float:
    kept = min(1 - 1e-9, max(1e-9, similarity))
    return log(kept / (1 - kept))


class _Taken:
    """The pages of a round."""

    def __init__(self, of_a_host: int = OF_A_HOST) -> None:
        self._of_a_host = of_a_host
        self._hosts: Counter[str] = Counter()
        self._urls: set[str] = set()
        self._titles: list[frozenset[str]] = []

    def takes(self, page: Candidate) -> bool:
        """Whether the page may join the round; from then on it is in it."""
        if page.url in self._urls or self._hosts[page.host] >= self._of_a_host:
            return False
        title = page.title.casefold()
        pairs = frozenset(map("".join, pairwise(title)))
        if any(len(pairs & other) > ALIKE * len(pairs | other) for other in self._titles):
            return False
        self._urls.add(page.url)
        self._hosts[page.host] += 1
        self._titles.append(pairs)
        return True


SOME = 200  # pages on each side of a place of the range


def candidates(connection: Connection, topic_id: int, threshold: float, known: Ranked | None = None) -> list[Candidate]:
    """Pages for the next questions: the most similar ones, those nearest to the threshold, and some over
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
    of_harvest = or_(judgements.c.outcome == KEPT, (judgements.c.outcome == OFF_TOPIC) & (SIMILARITY >= LOWEST))
    each = select(bucket, kept).where(judgements.c.topic_id == topic_id, of_harvest).subquery()
    query = select(each.c.bin, each.c.kept, func.count()).group_by(each.c.bin, each.c.kept)
    found: Sizes = Counter()
    for place, is_kept, number in connection.execute(query):
        found[min(place, BINS - 1), bool(is_kept)] += number
    return found
