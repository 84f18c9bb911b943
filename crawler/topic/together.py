"""Several topics that one crawl serves: a page is worth what it is worth to the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from crawler.errors import TopicError
from crawler.messages import _
from crawler.reader.text.harmful import Harmful
from crawler.topic.files import JOINT, Topic
from crawler.topic.vector import TopicVector


def together(topics: Sequence[Topic], directory: Path) -> Topic:
    """The topic of a crawl for all of them, before they are learned. Raises TopicError where one is named twice."""
    names = [topic.name for topic in topics]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise TopicError(_("topic {name} is named twice; name each topic once"), name=twice[0])
    name, harmful = JOINT.join(names), {topic.harmful for topic in topics}
    return Topic(
        name,
        directory / f"{name}.toml",
        title=" + ".join(topic.title or topic.name for topic in topics),
        pages=tuple(dict.fromkeys(chain.from_iterable(topic.describing_pages for topic in topics))),
        seeds=tuple(dict.fromkeys(chain.from_iterable(topic.seeds for topic in topics))),
        threshold=min(topic.threshold for topic in topics),
        harmful=harmful.pop() if len(harmful) == 1 else Harmful.KEEP,
        denied_networks=tuple(chain.from_iterable(topic.denied_networks for topic in topics)),
        members=tuple(topics),
    )


def learned(topic: Topic, members: Sequence[Topic]) -> Topic:
    """The joint topic once its members are learned. Its vector rates the words of links: as the best member does."""
    weights: dict[str, float] = {}
    for vector in (member.vector for member in members):
        assert vector is not None
        for term in vector.weights:
            weights[term] = max(weights.get(term, 0.0), vector.relevance(term))
    return replace(topic, members=tuple(members), vector=TopicVector(weights, by_meaning=False))
