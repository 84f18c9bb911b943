"""The pages of a harvest judged again after answers, without fetching. Their verdicts change in place, a few pages in
each transaction (`JudgingAgain`): a command does it in one go (`judge_again`), a running crawl beside its work. What a
person said of a page decides about that page, whatever the judge thinks.

Whether it is time to (`has_moved`): a topic file is edited, a topic is learned again, a new version of the program
calibrates otherwise; what was judged before keeps its similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, and_, bindparam, select, update

from crawler.database.database import Database, existing
from crawler.database.schema import SIMILARITY, judgements, links, pages, topics
from crawler.database.statements import Many
from crawler.errors import InUse
from crawler.labels.labels import Answer, Label, State, Who, counting, every, state
from crawler.labels.lessons import description, taught
from crawler.labels.ranked import KEPT, OFF_TOPIC
from crawler.labels.threshold import adjust
from crawler.reader.text.minhash import signature
from crawler.reasons import NONE, Code, Reason, stored
from crawler.records import Judgement
from crawler.store import duplicates
from crawler.store.compression import reader
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from crawler.topic.learn import Description

AT_ONCE = 20  # pages in one transaction, some .1 s: a crawl's commits wait that long

_CHANGE = Many.update(judgements, "url_id", "nearness", "text_relevance", "on_topic", "outcome", "reason")
_OF_PAGE = and_(judgements.c.page_id == pages.c.id, judgements.c.topic_id == bindparam("topic"))
_JUDGED = (
    select(pages.c.id, pages.c.url, pages.c.title, pages.c.body, pages.c.digest, judgements, links.c.packed)
    .join_from(pages, judgements, _OF_PAGE)
    .outerjoin(links, links.c.url_id == judgements.c.url_id)
    .where(pages.c.body.is_not(None), pages.c.id > bindparam("since"))
    .order_by(pages.c.id)
    .limit(AT_ONCE)
)


def overruled(judgement: Judgement, label: Label | None) -> Judgement:
    """The judgement of a page about which this was said. A model's answer teaches, but does not decide."""
    if label is None or label.who is not Who.PERSON or label.answer is Answer.UNSURE:
        return judgement
    if label.answer is Answer.YES:
        return replace(judgement, on_topic=True, reason=NONE)
    return replace(judgement, on_topic=False, reason=Reason(Code.PERSON))


@dataclass(frozen=True, slots=True)
class JudgingAgain:
    """How far the stored pages of a harvest are judged as all answers teach. Begins again when other answers come, or
    when the precision asked for needs another threshold."""

    topic: Topic  # learned, not taught
    judge_of: Callable[[Topic], Judge]
    taught: Topic | None = None  # by the answers, `said`; None: they are still to be read
    judge: Judge | None = None  # of that, once there is a page to judge: its dictionary takes 50 MB
    said: Mapping[str, Label] = field(default_factory=dict)
    seen: State | None = None  # of the answers when they were read
    last: int = 0  # the page's id
    judged: int = 0  # by `judge`
    changed: int = 0  # kept before and not now, or the other way round
    is_done: bool = False

    @property
    def only_reads(self) -> bool:
        """Whether the next step does."""
        return self.taught is None

    def step(self, connection: Connection, topic_id: int) -> JudgingAgain:
        """How far it is after the next step, in a transaction of its own."""
        if self.taught is None:
            said, seen = counting(every(connection, topic_id)), state(connection, topic_id)
            topic = taught(connection, topic_id, self.topic)
            return replace(self, taught=topic, judge=None, said=said, seen=seen, last=0, judged=0)
        if state(connection, topic_id) != self.seen:
            return replace(self, taught=None)
        judge = self.judge or self.judge_of(self.taught)
        rows = connection.execute(_JUDGED, {"topic": topic_id, "since": self.last}).all()
        codec = reader(connection)
        new, changed = [], self.changed
        for row in rows:
            page = description(codec, row)
            found = overruled(judge.judge(page.extraction, page.subjects), self.said.get(row.url))
            outcome, reason = row.outcome, found.reason
            if outcome in (KEPT, OFF_TOPIC) and row.reason.code is not Code.FORBIDDEN_TO_KEEP:  # no answer undoes that
                outcome = KEPT if found.on_topic else OFF_TOPIC
            if outcome == row.outcome == KEPT or row.reason.code is Code.FORBIDDEN_TO_KEEP:
                reason = row.reason  # what its publisher says against keeping it, that its scripts were run
            if outcome == KEPT and row.digest is None:
                _remember(connection, row.id, page.extraction.body)
            changed += outcome != row.outcome
            new.append((row.url_id, found.nearness, found.text_relevance, found.on_topic, outcome, stored(reason)))
        _CHANGE.run(connection, new)
        if len(rows) == AT_ONCE:
            return replace(self, judge=judge, last=rows[-1].id, judged=self.judged + len(rows), changed=changed)
        is_done = not adjust(connection, topic_id, self.taught)
        if is_done:
            note_judged(connection, topic_id)
        ended = self if is_done else replace(self, taught=None)
        return replace(ended, judged=self.judged + len(rows), changed=changed, is_done=is_done)


def judge_again(store_url: str, topic_id: int, topic: Topic, judge_of: type[Judge]) -> JudgingAgain | None:
    """Judges the stored pages as all answers teach. `topic`: learned, not taught. None where a crawl is at work: it
    does so itself."""
    try:
        with existing(store_url) as database:
            return until_done(database, topic_id, JudgingAgain(topic, judge_of))
    except InUse:
        return None


def until_done(database: Database, topic_id: int, work: JudgingAgain) -> JudgingAgain:
    while not work.is_done:
        with database.transaction(shared=work.only_reads) as connection:
            work = work.step(connection, topic_id)
    return work


def _remember(connection: Connection, page_id: int, body: str) -> None:
    """A page that was dropped is kept from now on: later ones may repeat it."""
    signed = signature(body)
    values = {"digest": duplicates.digest(body), "signature": signed or None}
    connection.execute(update(pages).where(pages.c.id == page_id).values(values))
    duplicates.remember(connection, [(page_id, signed)])


def note_judged(connection: Connection, topic_id: int) -> None:
    """The stored pages are judged by all answers that there are now."""
    values = {"graded": _answers(connection, topic_id)}
    connection.execute(update(topics).where(topics.c.id == topic_id).values(values))


def is_judged(connection: Connection, topic_id: int) -> bool:
    """Whether the stored pages were judged by all answers that there are now."""
    noted = connection.execute(select(topics.c.graded).where(topics.c.id == topic_id)).scalar()
    return (noted or "0-0") == _answers(connection, topic_id)


def _answers(connection: Connection, topic_id: int) -> str:
    return "-".join(map(str, state(connection, topic_id)))


SAMPLE = 20  # pages; some .1 s
SAME = 0.005  # similarities that differ by less are one

_FIRST = (
    select(pages.c.title, pages.c.body, SIMILARITY, links.c.packed)
    .join_from(pages, judgements, _OF_PAGE)
    .outerjoin(links, links.c.url_id == judgements.c.url_id)
    .where(judgements.c.outcome.in_([KEPT, OFF_TOPIC]))
    .where(pages.c.body.is_not(None))
    .order_by(judgements.c.fetch_id)
    .limit(SAMPLE)
)


def judged_first(connection: Connection, topic_id: int) -> list[tuple[Description, float]]:
    """The pages that were judged first, with their similarities."""
    rows = connection.execute(_FIRST, {"topic": topic_id}).all()
    codec = reader(connection)
    return [(description(codec, row), row.similarity) for row in rows]


def has_moved(first: Sequence[tuple[Description, float]], now: Sequence[Judgement]) -> bool:
    """Whether most of the pages that were judged first have another similarity `now`. Some may differ although the
    judge has not moved: another topic's visit has found a new text there."""
    differ = [abs(found.similarity - before) > SAME for (_, before), found in zip(first, now, strict=True)]
    return 2 * sum(differ) > len(differ)
