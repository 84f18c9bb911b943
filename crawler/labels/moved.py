"""Whether the stored pages were judged by what their topic is today: its words, its calibration, what answers taught.

A topic file is edited, a topic is learned again, a new version of the program calibrates otherwise: what was judged
before keeps its similarity. The pages that were judged first tell, for a rejudge judges them all.
"""

from __future__ import annotations

from sqlalchemy import Connection, and_, select

from crawler.database.schema import SIMILARITY, judgements, links, meanings, pages
from crawler.labels.lessons import description
from crawler.labels.ranked import KEPT, OFF_TOPIC
from crawler.store.compression import reader
from crawler.topic.judge import Judge

SAMPLE = 20  # pages; some .1 s
SAME = 0.005  # difference of two similarities that is none

_OF_PAGE = and_(judgements.c.page_id == pages.c.id, judgements.c.outcome.in_([KEPT, OFF_TOPIC]))
_FIRST = (
    select(pages.c.title, pages.c.body, SIMILARITY, links.c.packed)
    .join_from(pages, judgements, _OF_PAGE)
    .outerjoin(links, links.c.url_id == judgements.c.url_id)
    .where(pages.c.body.is_not(None), pages.c.id.not_in(select(meanings.c.page_id)))  # these are judged by more
    .order_by(judgements.c.fetch_id)
    .limit(SAMPLE)
)


def has_moved(connection: Connection, topic_id: int, judge: Judge) -> bool:
    """Whether `judge` gives most of the pages that were judged first another similarity. Some may differ although it
    has not moved: another topic's visit has found a new text there."""
    rows = connection.execute(_FIRST.where(judgements.c.topic_id == topic_id)).all()
    codec, differ = reader(connection), 0
    for row in rows:
        page = description(codec, row)
        now = judge.judge(page.extraction, page.subjects).similarity
        differ += abs(now - row.similarity) > SAME
    return 2 * differ > len(rows)
