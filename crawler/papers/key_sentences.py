"""The sentences that say most of a text: an extractive summary.

The owner's documents name sentences of topic, summary and transition that people mark in an article, without a method.
Here sentences that share words are joined, an edge weighs by the shared words over the logarithms of both lengths, and
PageRank on that network (networkx) ranks them. They are made where they are asked for, not in a crawl.

References: papers.md 6.8; Mihalcea and Tarau 2004, TextRank, sections 2 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import log

import networkx as nx

from crawler.papers.keywords import SENTENCE_END, tokenizer

COUNT = 3
MAX_SENTENCES = 200  # of a text, the first: pairs take their square
SHORTEST, LONGEST = 10, 200  # characters: less says nothing, more is a line of code or of data


def key_sentences(body: str, count: int = COUNT) -> list[str]:
    """At most so many sentences of the body, in its order; fewer where it has no more that are long enough."""
    texts = (text.strip() for line in body.splitlines() for text in SENTENCE_END.split(line))
    found = list(dict.fromkeys(text for text in texts if SHORTEST <= len(text) <= LONGEST))[:MAX_SENTENCES]
    graph = network([frozenset(tokenizer().tokens(text)) for text in found])
    ranks = nx.pagerank(graph)
    best = sorted(ranks, key=lambda place: (-ranks[place], place))[:count]
    return [found[place] for place in sorted(best)]


def network(sentences: Sequence[frozenset[str]]) -> nx.Graph[int]:
    """Sentences by number, each with its words; edges have a `weight`."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(len(sentences)))
    for (one, its), (other, others) in combinations(enumerate(sentences), 2):
        if shared := len(its & others):
            graph.add_edge(one, other, weight=shared / (log(1 + len(its)) + log(1 + len(others))))
    return graph
