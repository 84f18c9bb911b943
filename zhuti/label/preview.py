"""What the answers would change, before the stored pages are judged again: told of those nearest to the threshold."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from crawler.database.schema import judgements, pages
from crawler.database.statements import chunks
from crawler.labels.judge_again import overruled
from crawler.labels.labels import counting, every
from crawler.labels.lessons import described, taught
from crawler.labels.ranked import KEPT, OFF_TOPIC, Ranked
from crawler.records import similarity_of
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

LOOKED_AT = 100  # pages on each side of the threshold; some 10 ms each


@dataclass(frozen=True, slots=True)
class Change:
    """A page whose verdict would be another one."""

    url: str
    title: str
    before: float  # similarity, in [0, 1)
    after: float


@dataclass(frozen=True, slots=True)
class Preview:
    judged: int  # pages that were looked at
    goes: tuple[Change, ...]  # kept now, and no longer
    comes: tuple[Change, ...]  # dropped now, and kept then


def preview(connection: Connection, topic_id: int, topic: Topic, judge_of: type[Judge], known: Ranked) -> Preview:
    """`topic`: learned, but not taught. `known`: the pages that are similar enough to be asked about."""
    learned = taught(connection, topic_id, topic)
    judge, said = judge_of(learned), counting(every(connection, topic_id))
    stored = _stored(connection, known.ids[known.around(learned.threshold, LOOKED_AT)].tolist())
    goes: list[Change] = []
    comes: list[Change] = []
    judged = 0
    for url, page in described(connection, topic_id, sorted(stored)):
        before, is_kept = stored[url]
        found = overruled(judge.judge(page.extraction, page.subjects), said.get(url))
        judged += 1
        if found.on_topic is not is_kept:
            change = Change(url, page.extraction.title, similarity_of(before), similarity_of(found.nearness))
            (goes if is_kept else comes).append(change)
    return Preview(judged, _by_similarity(goes), _by_similarity(comes))


def _by_similarity(changes: list[Change]) -> tuple[Change, ...]:
    return tuple(sorted(changes, key=lambda change: (-change.after, change.url)))


def _stored(connection: Connection, ids: list[int]) -> dict[str, tuple[float, bool]]:
    """Nearness of these pages and whether they are kept, by URL; of those with a text."""
    found = {}
    for chunk in chunks(ids):
        chosen = judgements.c.url_id.in_(chunk) & judgements.c.outcome.in_((KEPT, OFF_TOPIC))
        query = (
            select(pages.c.url, judgements.c.nearness, judgements.c.outcome)
            .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
            .where(chosen, pages.c.body.is_not(None))
        )
        for url, nearness, outcome in connection.execute(query):
            found[url] = (nearness, outcome == KEPT)
    return found
