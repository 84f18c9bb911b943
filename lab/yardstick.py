"""Makes what topics are calibrated by (crawler/topic/yardstick.py) from the posts of a recorded web, and its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import fsum, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from crawler.extractors import extractor
from crawler.reader.html.page import Page
from crawler.reader.html.subjects import subjects
from crawler.reader.html.urls import host
from crawler.reader.text.tokens import Tokenizer
from crawler.records import PageKind
from crawler.topic.calibration import Tagged
from crawler.topic.files import Topic, topic_names
from crawler.topic.learn import load_background
from crawler.topic.vector import PageTerms, TopicVector, page_terms, subject_terms
from crawler.topic.yardstick import PULL, Yardstick, columns, load_yardstick, save
from lab.background import draw_posts
from lab.links.labels import POST, Labels
from lab.links.recorded import RecordedWeb

MOST = 100  # posts of a host, of those that `lab.background` draws
# Of the log odds of a page with tags, what its text alone says. Labels are authors' tags, so that a fit to them gives
# the text no weight at all (-.09). By answers that were read by eye (lab.benchmarks.by_eye), four divisions of the
# hosts, F1 is .796 with 0, .819 with .25, .831 with .5; by labels .858, .847, .820. Of the verdicts that change up to
# .25, 191 become right by eye and 37 wrong; of those from there to .5, 146 and 81.
TEXT_SHARE = 0.25
UNWEIGHED = Tagged(0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Post:
    """A post with tags."""

    host: str
    topics: frozenset[str]
    terms: PageTerms
    tags: frozenset[str]


def posts(web: RecordedWeb, labels: Labels) -> list[Post]:
    tokenizer, extract = Tokenizer(), extractor("best")
    of = {label.url: label.topics for label in labels if label.kind == POST}
    found: list[Post] = []
    for urls in draw_posts(of).values():
        own: list[Post] = []
        for url in urls:
            reply = web.fetch(url)
            if len(own) == MOST or not reply.is_page or reply.target:
                continue
            page = Page(reply.markup, url)
            extraction, tags = extract(page), frozenset(subject_terms(tokenizer, subjects(page)))
            terms = page_terms(tokenizer, extraction)
            if extraction.kind is not PageKind.LIST and terms.body and tags:
                own.append(Post(host(url), of[url], terms, tags))
        found += own
    return found


def yardstick_of(found: Sequence[Post], tagged: Tagged = UNWEIGHED) -> Yardstick:
    """Of the words that the background knows: those of a single site stay out."""
    there = {term for post in found for term in (*post.terms.title, *post.terms.body, *post.tags)}
    words = {word: n for n, word in enumerate(sorted(there & load_background().counts.keys()))}
    return Yardstick(
        words,
        columns(words, (post.terms.body for post in found)),
        columns(words, (post.terms.title for post in found)),
        columns(words, (dict.fromkeys(post.tags, 1) for post in found)),
        np.array([sqrt(fsum(w * w for w in post.terms.damped().values())) for post in found]),
        np.array([float(len(post.terms.title)) for post in found]),
        np.array([float(max(1, len(post.tags))) for post in found]),
        np.array([post.terms.latin for post in found]),
        np.array([post.terms.variety for post in found]),
        tagged,
    )


def evidence(yardstick: Yardstick, vector: TopicVector) -> NDArray[np.float64]:
    """What `Tagged` weighs, of each page."""
    shown = yardstick.shown(vector)
    untagged = yardstick.calibration(vector).of(shown.text, shown.meaning, shown.title, shown.latin, shown.variety)
    return np.column_stack([untagged, shown.all, shown.tags, shown.tags_meaning])


def weighed(rows: Sequence[NDArray[np.float64]], said: Sequence[NDArray[np.bool_]]) -> Tagged:
    """Fitted to labels, but for TEXT_SHARE. `rows`, `said`: of each topic the evidence, and which pages are on it."""
    model = LogisticRegression(C=PULL, max_iter=500).fit(np.concatenate(rows), np.concatenate(said))
    base, untagged, *tags = (float(weight) * (1.0 - TEXT_SHARE) for weight in (*model.intercept_, *model.coef_[0]))
    return Tagged(base, untagged + TEXT_SHARE, *tags)


def vectors_of(names: Iterable[str]) -> list[tuple[str, TopicVector]]:
    found = []
    for name in names:
        vector = Topic.load(name).learn(calibrate=False).vector
        assert vector is not None
        found.append((name, vector))
    return found


def on_topic(found: Sequence[Post], names: Iterable[str]) -> dict[str, NDArray[np.bool_]]:
    return {name: np.array([name in post.topics for post in found]) for name in names}


def train_yardstick(web: RecordedWeb, labels: Labels, path: Path, tell: Callable[[str], None]) -> tuple[Path, Path]:
    """Writes the yardstick and its card."""
    found = posts(web, labels)
    names = [name for name in topic_names(Path("topics")) if labels.harvest(name)]
    plain = yardstick_of(found)
    true, rows = on_topic(found, names), [evidence(plain, vector) for _, vector in vectors_of(names)]
    yardstick = replace(plain, tagged=weighed(rows, [true[name] for name in names]))
    tell(f"{len(found)} posts, {len(yardstick.words)} words, {yardstick.tagged}")
    save(yardstick, path)
    load_yardstick.cache_clear()
    card = path.with_suffix(".md")
    hosts = Counter(post.host for post in found)
    card.write_text(_card(path, yardstick, len(hosts), names), encoding="utf-8")
    return path, card


def _card(path: Path, yardstick: Yardstick, hosts: int, names: Sequence[str]) -> str:
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    lines = [
        "# Model card: yardstick",
        "",
        "How often each word stands in posts that have tags: what a topic is calibrated by when it is learned.",
        "Words without their order, and only such as stand on five hosts; no text can be told from it.",
        "Written by `python -m lab train yardstick`; do not edit.",
        "",
        f"- file: `{path.name}`, {path.stat().st_size / 1e6:.2f} MB, made {today}",
        f"- data: title, text and tags of {len(yardstick.lengths):,} posts of {hosts} hosts of a recorded web, at most"
        f" {MOST} of a host; {len(yardstick.words):,} words",
        f"- labels: of {', '.join(names)}, for the five numbers that weigh tags; nothing else of it has seen a label",
        "- use: the chance that a page is on a topic. Topics that these hosts do not write about are not calibrated.",
    ]
    return "\n".join(lines) + "\n"
