"""The threshold of a harvest: that of its topic, or what the precision needs that the topic wishes.

What answers have taught gives each page the chance that it belongs to the topic (topic.taught). Of the pages above a
threshold, the mean of these chances is the precision to be expected. The same pages give the same threshold, so that a
crawl judges after a restart as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from sqlalchemy import Connection, select, update

from crawler.database.schema import topics
from crawler.labels.ranked import FIRST, LOWEST, answered, ranked
from crawler.topic.files import Topic

PROPOSED = 0.9  # precision; own choice: one page in ten may be wrong
APART = 0.02  # from the topic's threshold is a proposal at least
SAME = 0.005  # thresholds that differ by less are one


def threshold(connection: Connection, topic_id: int, topic: Topic) -> float:
    """The least similarity of a kept page: the topic's, or what the precision that it asks for has made of that."""
    query = select(topics.c.threshold).where(topics.c.id == topic_id)
    found = connection.execute(query).scalar() if topic.precision is not None else None
    return topic.threshold if found is None else float(found)


def adjust(connection: Connection, topic_id: int, topic: Topic) -> bool:
    """Puts the threshold in force that gives the stored pages, judged by the topic, the precision that it wishes, if
    any. Returns whether that is another threshold: then the pages must be judged once more."""
    if topic.precision is None:
        return False
    said = [bool(page.answer) for page in answered(connection, topic_id)]
    wanted = threshold_for(ranked(connection, topic_id).similarities.tolist(), said, topic.precision)
    if wanted is None or abs(wanted - topic.threshold) <= SAME:
        return False
    connection.execute(update(topics).where(topics.c.id == topic_id).values(threshold=wanted))
    return True


def proposed(connection: Connection, topic_id: int, topic: Topic) -> float | None:
    """The threshold that PROPOSED needs of a topic that wishes no precision; None where it is nearly the topic's, or
    too few answers are there."""
    if topic.precision is not None:
        return None
    said = [bool(page.answer) for page in answered(connection, topic_id)]
    found = threshold_for(ranked(connection, topic_id).similarities.tolist(), said, PROPOSED)
    return None if found is None or abs(found - topic.threshold) < APART else found


def threshold_for(similarities: Sequence[float], answers: Sequence[bool], precision: float) -> float | None:
    """The least similarity from which on the pages have the precision; the highest of a page where no threshold gives
    it. Never below LOWEST, as not all pages below it are stored. None while too few pages are answered about to believe
    the chances: fewer than FIRST, or of one kind only. `similarities`: of pages judged by the same judge."""
    if len(answers) < FIRST or len(set(answers)) < 2 or not similarities:
        return None
    ordered = sorted(similarities, reverse=True)
    totals = list(accumulate(ordered))
    ends = [n for n in range(len(ordered)) if ordered[n + 1 : n + 2] != [ordered[n]]]  # of pages equally similar
    enough = [n for n in ends if totals[n] >= precision * (n + 1)]
    return max(LOWEST, ordered[enough[-1] if enough else 0])
