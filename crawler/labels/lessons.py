"""From answers to a taught topic: the texts of the pages that people answered about, as the judge sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

from sqlalchemy import Connection, and_, select

from crawler.database.schema import judgements, links, pages, topics
from crawler.database.statements import chunks
from crawler.html.urls import host
from crawler.labels.labels import Answer, counting, every
from crawler.records import Extraction
from crawler.store.compression import reader
from crawler.text.tokens import Tokenizer
from crawler.topic.files import Topic
from crawler.topic.learn import Description, judged_weights, without_words
from crawler.topic.taught import Answered, teach


def taught(connection: Connection, topic_id: int, topic: Topic) -> Topic:
    """The learned topic with what the answers of this harvest teach; as it is where there are none. Answers about pages
    whose text is not stored wait for it."""
    if (vector := topic.vector) is None:
        return topic
    topic = replace(topic, threshold=threshold(connection, topic_id, topic))
    said = {
        url: label.answer is Answer.YES
        for url, label in counting(every(connection, topic_id)).items()
        if label.answer is not Answer.UNSURE
    }
    found = sorted(described(connection, topic_id, sorted(said)), key=itemgetter(0))
    if not found:
        return replace(topic, taught=None)
    tokenizer = Tokenizer(topic.keywords, topic.lexicon)
    weighed = ((url, without_words(judged_weights(tokenizer, page), topic.struck)) for url, page in found)
    answered = [Answered(weights, said[url], host(url)) for url, weights in weighed]
    return replace(topic, taught=teach(vector, answered))


def threshold(connection: Connection, topic_id: int, topic: Topic) -> float:
    """By which this harvest keeps pages: the topic's, or what its wished precision has made of that."""
    query = select(topics.c.threshold).where(topics.c.id == topic_id)
    found = connection.execute(query).scalar() if topic.precision is not None else None
    return topic.threshold if found is None else float(found)


def described(connection: Connection, topic_id: int, addresses: Sequence[str]) -> Iterator[tuple[str, Description]]:
    """Those that are stored with their text."""
    codec = reader(connection)
    ours = and_(judgements.c.page_id == pages.c.id, judgements.c.topic_id == topic_id)
    for chunk in chunks(addresses):
        rows = connection.execute(
            select(pages.c.url, pages.c.title, pages.c.body, links.c.packed)
            .join_from(pages, judgements, ours)
            .outerjoin(links, links.c.url_id == judgements.c.url_id)
            .where(pages.c.url.in_(chunk), pages.c.body.is_not(None))
        ).all()
        for url, title, body, packed in rows:
            subjects = codec.unpack_page(packed)[2] if packed else ()
            yield url, Description(Extraction(title, codec.unpack_text(body)), subjects)
