"""Drift: pages that were kept of late have moved away from what the topic is about.

A crawl meets the most similar pages first, so less similarity alone is not drift. There must be words too, which many
of the late pages say, on several hosts, and hardly an earlier one, and which are none of the topic's.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from random import Random
from statistics import fmean, variance

from sqlalchemy import Connection, func, select, update

from crawler.database.schema import judgements, pages, runs, topics
from crawler.database.statements import count
from crawler.errors import StoreError
from crawler.labels.lessons import described
from crawler.messages import _
from crawler.reader.html.urls import host
from crawler.reader.text.tokens import Tokenizer, normal_term
from crawler.records import Outcome, similarity_of
from crawler.topic.files import Topic
from crawler.topic.learn import judged_weights

# These were tried on labelled posts: lab/notes/ended.md.
SAMPLE = 100  # pages of either kind
LOOKED_AT = 2_000  # newest pages, and pages of all, from which the samples are drawn
OF_A_HOST = 10  # among them: the habits of one host are not drift
LEAST_PAGES = 20  # pages of either kind, below which nothing is said
HOSTS = 3  # that must say a word
MORE = 0.15  # share of the late pages with the word, above that of the earlier ones
SURE = 3.5  # standard deviations of that difference
LESS = 2.0  # the same of the mean nearness
WORDS = 3  # at least
TOLD = 8  # words
SEED = 1


@dataclass(frozen=True, slots=True)
class Sampled:
    """A kept page."""

    host: str
    nearness: float
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Drift:
    before: float  # similarity that belongs to the mean nearness
    now: float
    words: tuple[str, ...]  # that came with the late pages, the most frequent first

    def __str__(self) -> str:
        return _(
            "the pages kept last are less similar to the topic than those before ({now:.2f}, before {before:.2f}),"
            " and many say: {words}",
            now=self.now,
            before=self.before,
            words=_(", ").join(self.words),
        )


def drift(early: Sequence[Sampled], late: Sequence[Sampled], known: Iterable[str]) -> Drift | None:
    """The move of what is kept away from the topic, if any. `known`: words that are the topic's, or were struck."""
    before, now = ([page.nearness for page in side] for side in (early, late))
    if not _is_less(before, now) or len(words := _new_words(early, late, frozenset(known))) < WORDS:
        return None
    return Drift(similarity_of(fmean(before)), similarity_of(fmean(now)), tuple(words[:TOLD]))


def _is_less(before: Sequence[float], now: Sequence[float]) -> bool:
    """Whether enough pages are nearer before than now, by more than chance."""
    if min(len(before), len(now)) < LEAST_PAGES:
        return False
    error = sqrt(variance(before) / len(before) + variance(now) / len(now))
    return fmean(before) - fmean(now) > LESS * error


def _new_words(early: Sequence[Sampled], late: Sequence[Sampled], known: frozenset[str]) -> list[str]:
    said = Counter(word for page in late for word in page.words - known)
    earlier = Counter(word for page in early for word in page.words)
    hosts: dict[str, set[str]] = defaultdict(set)
    for page in late:
        for word in page.words:
            hosts[word].add(page.host)
    found = []
    for word, times in said.items():
        more = times / len(late) - earlier[word] / len(early)
        share = (times + earlier[word]) / (len(late) + len(early))
        error = sqrt(share * (1 - share) * (1 / len(late) + 1 / len(early)))
        if len(hosts[word]) >= HOSTS and more >= max(MORE, SURE * error):
            found.append((-more, word))
    return [word for _, word in sorted(found)]


def drift_of(connection: Connection, topic_id: int, topic: Topic) -> Drift | None:
    """The drift of a harvest. `topic`: learned."""
    assert topic.vector is not None
    ours = (judgements.c.topic_id == topic_id) & (judgements.c.outcome == Outcome.KEPT.value)
    number = count(connection, ours)
    kept = select(pages.c.url, judgements.c.nearness).join(judgements, judgements.c.page_id == pages.c.id)
    kept = kept.where(ours, pages.c.body.is_not(None))
    newest = connection.execute(kept.order_by(judgements.c.fetch_id.desc()).limit(LOOKED_AT)).all()
    some = connection.execute(kept.where(judgements.c.url_id % max(1, number // LOOKED_AT) == 0)).all()
    near = {url: float(nearness) for url, nearness in (*newest, *some)}
    late = _some(url for url, _ in newest)
    rest = sorted({url for url, _ in some}.difference(late))
    early = _some(Random(SEED).sample(rest, len(rest)))
    if not _is_less([near[url] for url in early], [near[url] for url in late]):
        return None  # as of most runs: no text is read
    tokenizer = Tokenizer(topic.keywords, topic.lexicon)
    words = {
        url: frozenset(judged_weights(tokenizer, page)) for url, page in described(connection, topic_id, early + late)
    }
    before, now = (  # another worker may have taken a text away meanwhile
        [Sampled(host(url), near[url], words[url]) for url in side if url in words] for side in (early, late)
    )
    return drift(before, now, {*topic.vector.weights, *map(normal_term, topic.struck)})


def _some(urls: Iterable[str]) -> list[str]:
    """The first SAMPLE of them, at most OF_A_HOST of a host."""
    taken: Counter[str] = Counter()
    found: list[str] = []
    for url in urls:
        if taken[name := host(url)] < OF_A_HOST and len(found) < SAMPLE:
            taken[name] += 1
            found.append(url)
    return found


def note_drift(connection: Connection, topic_id: int, found: Drift) -> None:
    """Stores it with the topic's last run."""
    last = select(func.max(runs.c.id)).where(runs.c.topic_id == topic_id).scalar_subquery()
    value = json.dumps(asdict(found), ensure_ascii=False)
    connection.execute(update(runs).where(runs.c.id == last).values(drift=value))


def noted_drift(connection: Connection, run_id: int) -> Drift | None:
    """What was found at the end of a run."""
    return _read(connection.execute(select(runs.c.drift).where(runs.c.id == run_id)).scalar())


def last_drifts(connection: Connection) -> dict[str, Drift]:
    """What the last run of each topic has found, by the topic's name; without those that have found none."""
    last = select(func.max(runs.c.id)).group_by(runs.c.topic_id)
    query = select(topics.c.name, runs.c.drift).join_from(runs, topics, topics.c.id == runs.c.topic_id)
    rows = connection.execute(query.where(runs.c.id.in_(last)).order_by(topics.c.name))
    return {name: found for name, value in rows if (found := _read(value))}


def _read(value: str | None) -> Drift | None:
    if value is None:
        return None
    try:
        kept = json.loads(value)
        return Drift(float(kept["before"]), float(kept["now"]), tuple(map(str, kept["words"])))
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(_("runs.drift cannot be read; the file is damaged or was made by another program")) from error
