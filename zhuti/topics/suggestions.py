"""Words that a harvest suggests to its topic: what many kept pages say and the topic does not know, and what the topic
says and no kept page. Nothing changes by itself: a person takes them over."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import islice

from sqlalchemy import Connection, select

from crawler.database.schema import judgements, pages
from crawler.labels.lessons import described
from crawler.reader.html.urls import host
from crawler.reader.text.tokens import Tokenizer, normal_term
from crawler.records import Outcome
from crawler.topic.files import Topic
from crawler.topic.learn import judged_weights, learn_vector

READ = 300  # kept pages, spread over the harvest
WORDS = 20  # told of each kind
HOSTS = 3  # that must say a word: what fewer say is their own habit
STRONGEST = 100  # words of the topic that are looked for


@dataclass(frozen=True, slots=True)
class Suggestions:
    pages: int  # that were read
    gained: tuple[tuple[str, int], ...]  # words, the strongest first, and how many of the pages have each
    lost: tuple[str, ...]  # the strongest first


def suggestions(connection: Connection, topic_id: int, topic: Topic) -> Suggestions:
    """Words that pages kept for a learned topic suggest. Raises ModelError when no background can be loaded."""
    assert topic.vector is not None
    kept = select(pages.c.url).join(judgements, judgements.c.page_id == pages.c.id)
    kept = kept.where(judgements.c.topic_id == topic_id, judgements.c.outcome == Outcome.KEPT.value)
    urls = connection.execute(kept.order_by(judgements.c.url_id)).scalars().all()
    found = list(described(connection, topic_id, urls[:: max(1, len(urls) // READ)]))
    tokenizer = Tokenizer(topic.keywords, topic.lexicon)
    said: Counter[str] = Counter()
    hosts: dict[str, set[str]] = defaultdict(set)
    for url, page in found:
        for term in judged_weights(tokenizer, page):
            said[term] += 1
            hosts[term].add(host(url))
    vector = learn_vector({}, pages=[page for _, page in found], lexicon=topic.lexicon).vector
    known = topic.vector.weights.keys() | set(map(normal_term, topic.struck))
    new = (term for term in vector.heaviest(len(vector.weights)) if term not in known and len(hosts[term]) >= HOSTS)
    gained = tuple((term, said[term]) for term in islice(new, WORDS))
    unsaid = (term for term in topic.vector.heaviest(STRONGEST) if not said[term])
    return Suggestions(len(found), gained, tuple(islice(unsaid, WORDS)) if found else ())
