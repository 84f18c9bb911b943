"""What people, and models, say of pages: whether they belong to a topic. The table `labels`.

Every answer is kept. Of several to one URL a person's counts before a model's, and of those the last. A URL need not
have been fetched: its label is used once the page is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from crawler.database.schema import judgements, labels, pages, topics
from crawler.database.statements import Query, chunks
from crawler.store.compression import reader
from crawler.store.duplicates import digest


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    UNSURE = "unsure"  # the page was looked at, and does not teach anything


class Who(StrEnum):
    PERSON = "person"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Label:
    """One answer about one page."""

    url: str  # canonical
    answer: Answer
    at: float  # seconds since the epoch
    who: Who = Who.PERSON
    version: str = ""  # a hash of the text that was looked at (`version_of`); "": the page was not stored then


State = tuple[int, int]  # of a topic's labels: it changes whenever a label comes or goes

_STATE = Query("SELECT count(*), coalesce(max(id), 0) FROM labels WHERE topic_id = :topic")
_VERSIONED = Query("SELECT url, body FROM pages WHERE url IN :addresses AND body IS NOT NULL")


def topic_row(connection: Connection, name: str) -> int:
    """The topic's id. A topic that was never crawled gets one: people may answer first."""
    found: int | None = connection.execute(select(topics.c.id).where(topics.c.name == name)).scalar()
    if found is None:
        found = connection.execute(insert(topics).values(name=name).returning(topics.c.id)).scalar_one()
    return found


def state(connection: Connection, topic_id: int) -> State:
    count, last = _STATE.rows(connection, topic=topic_id)[0]
    return int(count), int(last)


def every(connection: Connection, topic_id: int) -> list[Label]:
    """All answers, the oldest first."""
    return _answers(connection, labels.c.topic_id == topic_id)


def answers(connection: Connection, topic_id: int, url: str) -> list[Label]:
    """About one URL, the oldest first."""
    return _answers(connection, (labels.c.topic_id == topic_id) & (labels.c.url == url))


def _answers(connection: Connection, which: ColumnElement[bool]) -> list[Label]:
    known = labels.c
    rows = connection.execute(
        select(known.url, known.answer, known.at, known.who, known.version).where(which).order_by(known.id)
    )
    return [Label(row.url, Answer(row.answer), row.at, Who(row.who), row.version or "") for row in rows]


def counting(answers: Iterable[Label]) -> dict[str, Label]:
    """The answer that counts for each URL. `answers`: the oldest first."""
    found: dict[str, Label] = {}
    for label in answers:
        before = found.get(label.url)
        if before is None or label.who is Who.PERSON or before.who is Who.MODEL:
            found[label.url] = label
    return found


# The same in SQL, of a query for judged pages.
COUNTING = (
    select(labels.c.answer)
    .where(labels.c.topic_id == judgements.c.topic_id, labels.c.url == pages.c.url)
    .order_by(labels.c.who.desc(), labels.c.id.desc())
    .limit(1)
    .scalar_subquery()
)


def opinions(connection: Connection, topic_id: int) -> dict[str, bool]:
    """Whether the pages that the counting answers are sure about belong to the topic, by URL."""
    said = counting(every(connection, topic_id)).items()
    return {url: label.answer is Answer.YES for url, label in said if label.answer is not Answer.UNSURE}


def conflicts(answers: Iterable[Label]) -> dict[str, list[Label]]:
    """The URLs to which people have answered both yes and no, with all answers, the oldest first."""
    by_url: dict[str, list[Label]] = {}
    for label in answers:
        if label.who is Who.PERSON and label.answer is not Answer.UNSURE:
            by_url.setdefault(label.url, []).append(label)
    return {url: said for url, said in by_url.items() if len({label.answer for label in said}) > 1}


def add(connection: Connection, topic_id: int, new: Sequence[Label]) -> int:
    """Stores the answers, with the version of the page where one is stored. An answer that is there already, with the
    same time, is not stored twice. Returns how many were new."""
    known = {(label.url, label.answer, label.at, label.who) for label in every(connection, topic_id)}
    rounded = (replace(label, at=round(label.at, 3)) for label in new)  # as files can hold it
    fresh = [label for label in dict.fromkeys(rounded) if (label.url, label.answer, label.at, label.who) not in known]
    versions = _versions(connection, [label.url for label in fresh if not label.version])
    rows = [
        {
            "topic_id": topic_id,
            "url": label.url,
            "answer": label.answer.value,
            "who": label.who.value,
            "at": label.at,
            "version": label.version or versions.get(label.url),
        }
        for label in fresh
    ]
    for chunk in chunks(rows):
        connection.execute(insert(labels), list(chunk))
    return len(rows)


def take_back(connection: Connection, topic_id: int) -> str:
    """Removes the last answer that a person gave, and returns its URL; "" when there is none."""
    ours = (labels.c.topic_id == topic_id) & (labels.c.who == Who.PERSON.value)
    last = select(func.max(labels.c.id)).where(ours).scalar_subquery()
    return connection.execute(delete(labels).where(labels.c.id == last).returning(labels.c.url)).scalar() or ""


def version_of(body: str) -> str:
    """The name of a text: its hash in hexadecimal digits, blanks and letter case left out."""
    return digest(body).hex()


def _versions(connection: Connection, addresses: Sequence[str]) -> dict[str, str]:
    codec = reader(connection)
    rows = [row for chunk in chunks(addresses) for row in _VERSIONED.rows(connection, addresses=list(chunk))]
    return {url: version_of(codec.unpack_text(bytes(body))) for url, body in rows}
