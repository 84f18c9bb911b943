"""From answers to a taught topic: the texts of the pages that people answered about, as the judge sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, and_, select

from crawler.database.schema import judgements, links, pages
from crawler.database.statements import chunks
from crawler.labels.labels import opinions
from crawler.labels.threshold import threshold
from crawler.reader.html.urls import host
from crawler.reader.text.tokens import Tokenizer, normal_term
from crawler.records import Extraction
from crawler.store.compression import Codec, reader
from crawler.topic.files import Topic
from crawler.topic.learn import Description, weighed_page
from crawler.topic.taught import Answered, teach


def taught(connection: Connection, topic_id: int, topic: Topic) -> Topic:
    """The learned topic with what the answers of this harvest teach; as it is where there are none. Answers about pages
    whose text is not stored wait for it."""
    if (vector := topic.vector) is None:
        return topic
    topic = replace(topic, threshold=threshold(connection, topic_id, topic))
    said = opinions(connection, topic_id)
    found = sorted(described(connection, topic_id, sorted(said)), key=itemgetter(0))
    if not found:
        return replace(topic, taught=None)
    tokenizer = Tokenizer(topic.keywords, topic.lexicon)
    struck = frozenset(map(normal_term, topic.struck))
    answered = [Answered(weighed_page(tokenizer, page, struck), said[url], host(url)) for url, page in found]
    return replace(topic, taught=teach(vector, answered))


def described(connection: Connection, topic_id: int, addresses: Sequence[str]) -> Iterator[tuple[str, Description]]:
    """Returns the answered pages whose text is stored."""
    codec = reader(connection)
    ours = and_(judgements.c.page_id == pages.c.id, judgements.c.topic_id == topic_id)
    for chunk in chunks(addresses):
        rows = connection.execute(
            select(pages.c.url, pages.c.title, pages.c.body, links.c.packed)
            .join_from(pages, judgements, ours)
            .outerjoin(links, links.c.url_id == judgements.c.url_id)
            .where(pages.c.url.in_(chunk), pages.c.body.is_not(None))
        ).all()
        for row in rows:
            yield row.url, description(codec, row)


def description(codec: Codec, row: Any) -> Description:
    """By what a page is judged, as `analyse.judged_by` gives it. `row`: title, body and packed links."""
    subjects = codec.unpack_page(row.packed)[2] if row.packed else ()
    return Description(Extraction(row.title, codec.unpack_text(row.body)), subjects)
