"""What models were asked and have answered. The table `model_answers`: a text that was asked about is not asked again.

A model's answers count once a person has seen how often they agree with that person's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from crawler.clock import wall_time
from crawler.database.schema import model_answers, pages
from crawler.database.statements import chunks
from crawler.labels.labeller import Said
from crawler.labels.labels import Answer, Label, Who, add, counting, every, version_of
from crawler.store.compression import reader

COMPARED = 30  # a person's own answers, with which a model's are compared
OPINIONS = (Answer.YES, Answer.NO)


@dataclass(frozen=True, slots=True)
class Page:
    url: str
    title: str
    body: str


def own_answers(connection: Connection, topic_id: int) -> list[tuple[Page, Answer]]:
    """The last COMPARED pages, those whose text is stored, to which a person has answered yes or no."""
    labels = counting(every(connection, topic_id)).values()
    said = {one.url: one.answer for one in labels if one.who is Who.PERSON and one.answer in OPINIONS}
    latest = sorted((one.at, one.url) for one in labels if one.url in said)[::-1]
    found = {page.url: page for page in stored(connection, [url for _, url in latest])}
    return [(found[url], said[url]) for _, url in latest if url in found][:COMPARED]


def stored(connection: Connection, urls: Sequence[str]) -> Iterator[Page]:
    codec = reader(connection)
    for chunk in chunks(urls):
        query = select(pages.c.url, pages.c.title, pages.c.body).where(
            pages.c.url.in_(chunk), pages.c.body.is_not(None)
        )
        for url, title, body in connection.execute(query):
            yield Page(url, title, codec.unpack_text(body))


def known(connection: Connection, topic_id: int, model: str, page: Page) -> Answer | None:
    """What the model has answered about this text."""
    table = model_answers.c
    query = select(table.answer).where(
        table.topic_id == topic_id,
        table.model == model,
        table.url == page.url,
        table.version == version_of(page.body),
    )
    answer = connection.execute(query.order_by(table.id.desc()).limit(1)).scalar()
    return None if answer is None else Answer(answer)


def keep(connection: Connection, topic_id: int, model: str, page: Page, said: Said) -> None:
    values = {"topic_id": topic_id, "model": model, "url": page.url, "version": version_of(page.body)}
    values |= {"answer": said.answer.value, "prompt": said.prompt, "text": said.text, "at": wall_time()}
    connection.execute(insert(model_answers).values(values))


def count(connection: Connection, topic_id: int, page: Page, answer: Answer) -> None:
    """From now on the answer teaches, unless a person gives another."""
    add(connection, topic_id, [Label(page.url, answer, wall_time(), Who.MODEL, version_of(page.body))])
