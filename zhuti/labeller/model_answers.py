"""What models were asked and have answered. The table `model_answers`: a text that was asked about is not asked again.

A model's answers count once a person has seen how often they agree with that person's own.
"""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from crawler.clock import wall_time
from crawler.database.schema import model_answers
from crawler.labels.labels import Answer, Label, Who, add, counting, every, version_of
from crawler.labels.lessons import described
from crawler.records import Extraction
from zhuti.labeller.chat import Said

COMPARED = 30  # a person's own answers, with which a model's are compared
OPINIONS = (Answer.YES, Answer.NO)


def own_answers(connection: Connection, topic_id: int) -> list[tuple[str, Extraction, Answer]]:
    """The last COMPARED pages, those whose text is stored, to which a person has answered yes or no."""
    labels = counting(every(connection, topic_id)).values()
    said = {one.url: one.answer for one in labels if one.who is Who.PERSON and one.answer in OPINIONS}
    latest = sorted((one.at, one.url) for one in labels if one.url in said)[::-1]
    found = {url: page.extraction for url, page in described(connection, topic_id, list(said))}
    return [(url, found[url], said[url]) for _, url in latest if url in found][:COMPARED]


def known(connection: Connection, topic_id: int, model: str, url: str, body: str) -> Answer | None:
    """What the model has answered about this text."""
    table = model_answers.c
    query = select(table.answer).where(
        table.topic_id == topic_id,
        table.model == model,
        table.url == url,
        table.version == version_of(body),
    )
    answer = connection.execute(query.order_by(table.id.desc()).limit(1)).scalar()
    return None if answer is None else Answer(answer)


def keep(connection: Connection, topic_id: int, model: str, url: str, body: str, said: Said[Answer]) -> None:
    values = {"topic_id": topic_id, "model": model, "url": url, "version": version_of(body)}
    values |= {"answer": said.answer.value, "prompt": said.prompt, "text": said.text, "at": wall_time()}
    connection.execute(insert(model_answers).values(values))


def count(connection: Connection, topic_id: int, url: str, body: str, answer: Answer) -> None:
    """From now on the answer teaches, unless a person gives another."""
    add(connection, topic_id, [Label(url, answer, wall_time(), Who.MODEL, version_of(body))])
