"""The interface of all link scorers: they learn judged pages and give every waiting URL a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, ClassVar, NamedTuple

from crawler.messages import N_
from crawler.records import Ended, JudgedPage, Outlink


class Part(NamedTuple):
    """One piece of what a score is made of."""

    name: str
    value: float
    of: str = ""  # "": a summand of the score; else the name of the part that this one explains, in a unit of its own
    first: bool = False  # whether it is told before stronger ones


Submit = Callable[..., Future[Any]]  # a function and its arguments, as concurrent.futures.Executor.submit takes them

BEFORE = N_("best link so far")  # name of a part
SAME = 1e-9  # scores that differ by less are equal


class LinkScorer(ABC):
    """Scores are finite numbers. The URL with the higher score is fetched sooner, of equal ones the one found first.

    A scorer lives in the thread that commits visits and keeps its state in memory; after a restart it is given every
    judged page again, in the order in which they were committed. It must be deterministic: the same pages in the same
    order give the same scores."""

    name: ClassVar[str]

    @abstractmethod
    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        """Learn one judged page. Returns the scores of all URLs whose score it sets or changes: at least of each
        outlink that should wait in the frontier; a link that is left out is never fetched through this page. URLs that
        were fetched already may be among them and are ignored."""

    def observe_end(self, ended: Ended) -> None:  # noqa: B027
        """Learn that a URL has ended without a page to judge: it waits no more."""

    def chance(self, url: str, score: float) -> float:
        """How surely a waiting URL is thought to be a post on the topic, in [0, 1]. `score`: what was told of it."""
        return min(1.0, max(0.0, score))

    def refresh(self) -> Mapping[str, float]:
        """Called after every committed batch. Returns new scores of waiting URLs, when there are any: the best first
        and not all at once, the next ones at the next calls."""
        return {}

    def work_with(self, submit: Submit) -> None:  # noqa: B027
        """Lets heavy work be handed to `submit`, which has it done in another thread; without this it is
        done in place. The scores must not depend on it."""

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        """What the score of a waiting `url` is made of now, after `page`, the newest that links to it, was observed.
        The sum of the summands is the score; nothing for a URL the scorer does not know. Changes nothing."""
        return ()


def best_of(parts: Sequence[Part], best: float) -> Sequence[Part]:
    """What a score is made of where the best link to a URL counts: `parts` are those of the newest link, `best` is the
    score. When an older link has given it, one part says so."""
    worth = sum(part.value for part in parts if not part.of)
    return parts if abs(worth - best) < SAME else (Part(BEFORE, best),)


def link_to(url: str, outlinks: Sequence[Outlink]) -> Outlink | None:
    """The page's link to `url`, the last of several."""
    return next((outlink for outlink in reversed(outlinks) if outlink.link.url == url), None)
