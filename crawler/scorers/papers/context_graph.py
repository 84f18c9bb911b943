"""The context graph model: how many links lead from here to the topic? (papers.md 6.1.3; Diligenti et al. 2000)

Layer 0 holds the pages on topic, layer i those from which i links lead to one, by the links of the crawl itself. A
naive Bayes classifier learns the layers from the words of a page's links, which is all that a scorer sees of a page's
text. A new page goes to the likeliest layer, and its links wait in the order of the layers."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from math import exp, log

from crawler.messages import N_
from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer, Part, best_of
from crawler.scorers.learned.words import words

LAYERS = 4  # N; papers.md 6.1.3
OTHER = LAYERS + 1  # the class of pages from which no short way to the topic is known
LAYER_PAGES = 300  # newest pages from which a layer is learned; papers.md 6.1.3
RELEARN_EVERY = 100  # pages
LEAST_CHANCE = 0.5  # probability of the likeliest layer; below it the page counts as "other"
SMOOTHING = 1.0  # Laplace


class ContextGraph(LinkScorer):
    """Score = -(layer of the link's page) + the page's likelihood in it, the best over all pages that link to it."""

    name = "context-graph"

    def __init__(self) -> None:
        self._bags: dict[str, frozenset[int]] = {}  # words of the links of each fetched page
        self._on_topic: list[str] = []
        self._parents: dict[str, list[str]] = {}
        self._counts: list[dict[int, int]] = []  # by layer: pages with the word
        self._pages: list[int] = []  # by layer
        self._best: dict[str, float] = {}

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        bag = frozenset(bucket for outlink in page.outlinks for bucket in words(outlink.link))
        if page.url not in self._bags:
            self._bags[page.url] = bag
            if page.on_topic:
                self._on_topic.append(page.url)
            for outlink in page.outlinks:
                self._parents.setdefault(outlink.link.url, []).append(page.url)
        if len(self._bags) % RELEARN_EVERY == 0:
            self._learn()
        layer, chance = self._place(page, bag)
        told: dict[str, float] = {}
        for outlink in page.outlinks:
            url = outlink.link.url
            told[url] = self._best[url] = max(self._best.get(url, -float(OTHER)), chance - layer)
        return told

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        if url not in self._best:
            return ()
        layer, chance = self._place(page, self._bags.get(page.url, frozenset()))
        parts = (
            Part(N_("links from its page to the topic, negative"), -float(layer)),
            Part(N_("certainty of that"), chance),
        )
        return best_of(parts, self._best[url])

    def _place(self, page: JudgedPage, bag: frozenset[int]) -> tuple[int, float]:
        """The page's layer, and how sure that is."""
        return (0, page.nearness) if page.on_topic else self._layer(bag)

    def _learn(self) -> None:
        self._counts = [{} for _ in range(OTHER + 1)]
        self._pages = [0] * (OTHER + 1)
        layers = self._layers()
        for url, bag in reversed(self._bags.items()):  # the newest of each layer
            layer = layers.get(url, OTHER)
            if self._pages[layer] < LAYER_PAGES:
                self._pages[layer] += 1
                counts = self._counts[layer]
                for word in bag:
                    counts[word] = counts.get(word, 0) + 1

    def _layers(self) -> dict[str, int]:
        """Links from each page to the nearest page on topic, at most LAYERS."""
        layers = dict.fromkeys(self._on_topic, 0)
        waiting = deque(self._on_topic)
        while waiting:
            url = waiting.popleft()
            for parent in self._parents.get(url, ()):
                if parent not in layers and layers[url] < LAYERS:
                    layers[parent] = layers[url] + 1
                    waiting.append(parent)
        return layers

    def _layer(self, bag: frozenset[int]) -> tuple[int, float]:
        """The likeliest layer of an off-topic page, and its probability."""
        total = sum(self._pages)
        if not total:
            return OTHER, 0.0
        scores = {
            layer: log(pages / total)
            + sum(log((counts.get(word, 0) + SMOOTHING) / (pages + 2 * SMOOTHING)) for word in sorted(bag))
            for layer, (pages, counts) in enumerate(zip(self._pages, self._counts, strict=True))
            if pages and layer
        }
        if not scores:
            return OTHER, 0.0
        best = max(scores, key=lambda layer: (scores[layer], -layer))
        chance = 1.0 / sum(exp(score - scores[best]) for score in scores.values())
        return (best, chance) if chance >= LEAST_CHANCE else (OTHER, 0.0)
