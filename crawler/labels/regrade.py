"""Pages that are stored with their text, judged again in place after new answers. What a person said of a page decides
about that page, whatever the judge thinks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection, and_, select, update

from crawler.database.database import Database
from crawler.database.schema import judgements, links, pages, topics
from crawler.database.statements import Many
from crawler.labels.expected import Judged
from crawler.labels.labels import Answer, Label, State, Who, counting, every, state
from crawler.labels.lessons import taught
from crawler.labels.questions import LEAST
from crawler.labels.wished import threshold_for
from crawler.reasons import NONE, Code, Reason, stored
from crawler.records import Extraction, Judgement, Outcome, similarity_of
from crawler.store import duplicates
from crawler.store.compression import reader
from crawler.text.minhash import signature
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

SAME = 0.005  # difference of two thresholds that is none
AT_ONCE = 20  # pages in one transaction, some .1 s: a crawl's commits wait that long

_CHANGE = Many(
    "UPDATE judgements SET nearness = new.nearness, text_relevance = new.relevance, on_topic = new.on_topic,"
    " outcome = new.outcome, reason = new.reason FROM new WHERE judgements.url_id = new.id",
    id="integer",
    nearness="double precision",
    relevance="double precision",
    on_topic="boolean",
    outcome="text",
    reason="text",
)
MOVES = (Outcome.KEPT.value, Outcome.OFF_TOPIC.value)


def overruled(judgement: Judgement, label: Label | None) -> Judgement:
    """The judgement of a page about which this was said. A model's answer teaches, but does not decide."""
    if label is None or label.who is not Who.PERSON or label.answer is Answer.UNSURE:
        return judgement
    if label.answer is Answer.YES:
        return replace(judgement, on_topic=True, reason=NONE)
    return replace(judgement, on_topic=False, reason=Reason(Code.PERSON))


@dataclass(slots=True)
class Regraded:
    """How far the work is."""

    last: int = 0  # the page's id
    judged: int = 0
    changed: int = 0  # of them kept before and not now, or the other way round
    ended: bool = False


def regrade(connection: Connection, topic_id: int, judge: Judge, said: Mapping[str, Label], done: Regraded) -> Regraded:
    """The next pages. Call it until it has ended, in a transaction each."""
    codec = reader(connection)
    ours = and_(judgements.c.page_id == pages.c.id, judgements.c.topic_id == topic_id)
    rows = connection.execute(
        select(pages.c.id, pages.c.url, pages.c.title, pages.c.body, pages.c.digest, judgements, links.c.packed)
        .join_from(pages, judgements, ours)
        .outerjoin(links, links.c.url_id == judgements.c.url_id)
        .where(pages.c.body.is_not(None), pages.c.id > done.last)
        .order_by(pages.c.id)
        .limit(AT_ONCE)
    ).all()
    new = []
    for row in rows:
        subjects = codec.unpack_page(row.packed)[2] if row.packed else ()
        body = codec.unpack_text(row.body)
        found = overruled(judge.judge(Extraction(row.title, body), subjects), said.get(row.url))
        outcome = row.outcome
        if outcome in MOVES:
            outcome = (Outcome.KEPT if found.on_topic else Outcome.OFF_TOPIC).value
        if outcome == Outcome.KEPT.value and row.digest is None:
            _remember(connection, row.id, body)
        done.changed += outcome != row.outcome
        new.append((row.url_id, found.nearness, found.text_relevance, found.on_topic, outcome, stored(found.reason)))
        done.last = row.id
    _CHANGE.run(connection, new)
    done.judged += len(new)
    done.ended = len(rows) < AT_ONCE
    return done


def _remember(connection: Connection, page_id: int, body: str) -> None:
    """A page that was dropped is kept from now on: later ones may repeat it."""
    signed = signature(body)
    values = {"digest": duplicates.digest(body), "signature": signed or None}
    connection.execute(update(pages).where(pages.c.id == page_id).values(values))
    duplicates.remember(connection, [(page_id, signed)])


def is_graded(connection: Connection, topic_id: int, state: State) -> bool:
    """Whether the stored pages were judged by these labels last."""
    noted = connection.execute(select(topics.c.graded).where(topics.c.id == topic_id)).scalar()
    return (noted or _written((0, 0))) == _written(state)


def _written(state: State) -> str:
    return "-".join(map(str, state))


def settled(connection: Connection, topic_id: int, topic: Topic, seen: State) -> bool:
    """Notes that the stored pages are judged as these labels teach. False where they now show that the wished precision
    needs another threshold: that is in force from here on, and the pages must be judged once more. `topic`: that they
    were judged by."""
    if topic.precision is not None:
        wanted = threshold_for(harvest(connection, topic_id), topic.precision)
        if wanted is not None and abs(wanted - topic.threshold) > SAME:
            connection.execute(update(topics).where(topics.c.id == topic_id).values(threshold=wanted))
            return False
    note_grading(connection, topic_id, seen)
    return True


def judged_again(database: Database, topic_id: int, topic: Topic, judge_of: type[Judge]) -> Regraded:
    """Judges the stored pages as all answers teach. `topic`: learned, but not taught."""
    changed, is_settled = 0, False
    while not is_settled:
        with database.transaction() as connection:
            learned = taught(connection, topic_id, topic)
            said, seen = counting(every(connection, topic_id)), state(connection, topic_id)
        judge, done = judge_of(learned), Regraded()
        while not done.ended:
            with database.transaction() as connection:
                done = regrade(connection, topic_id, judge, said, done)
        changed += done.changed
        with database.transaction() as connection:
            is_settled = settled(connection, topic_id, learned, seen)
    return replace(done, changed=changed)


def note_grading(connection: Connection, topic_id: int, state: State) -> None:
    connection.execute(update(topics).where(topics.c.id == topic_id).values(graded=_written(state)))


def harvest(connection: Connection, topic_id: int) -> list[Judged]:
    """All judged pages that are near enough to be asked about, or were, for `threshold_for`."""
    said = counting(every(connection, topic_id))
    rows = connection.execute(
        select(pages.c.url, judgements.c.nearness, judgements.c.outcome)
        .join_from(pages, judgements, judgements.c.page_id == pages.c.id)
        .where(judgements.c.topic_id == topic_id, judgements.c.outcome.in_(MOVES))
    )
    found = []
    for url, nearness, outcome in rows:
        label = said.get(url)
        answer = None if label is None or label.answer is Answer.UNSURE else label.answer is Answer.YES
        kept = outcome == Outcome.KEPT.value
        if kept or answer is not None or similarity_of(nearness) >= LEAST:
            found.append(Judged(similarity_of(nearness), kept, answer))
    return found
