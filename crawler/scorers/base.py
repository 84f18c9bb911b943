"""The interface of all link scorers: learn judged pages, give every waiting URL a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, ClassVar, NamedTuple

from crawler.records import Ended, JudgedPage, Outlink


class Part(NamedTuple):
    """A piece of what a score is made of."""

    name: str
    value: float
    of: str = ""  # "": a summand of the score; else the part that this one speaks for, in a unit of its own


Submit = Callable[..., Future[Any]]  # a function and its arguments, as concurrent.futures.Executor.submit takes them

BEFORE = "the best link to it before"
SAME = 1e-9  # scores nearer than this are one


class LinkScorer(ABC):
    """Scores are real numbers, higher is fetched sooner; equal scores go first come, first served.

    A scorer lives in the thread that commits visits and keeps its state in memory; after a restart it is
    given every judged page again, in the order in which they were committed. It must be deterministic: the
    same pages in the same order give the same scores."""

    name: ClassVar[str]

    @abstractmethod
    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        """Learn one judged page. Returns the score of every URL whose score it sets or changes: at least each
        outlink that should wait in the frontier; a link that is left out is never fetched through this page.
        URLs already fetched may be among them, they are ignored."""

    def forget(self, ended: Ended) -> None:  # noqa: B027
        """A URL has ended without a page to judge: it waits no more."""

    def refresh(self) -> Mapping[str, float]:
        """Called after every committed batch. When enough has changed, recompute and return the new scores of
        waiting URLs, the best first and not all at once, the next ones at the next calls; otherwise nothing."""
        return {}

    def work_with(self, submit: Submit) -> None:  # noqa: B027
        """From now on heavy work may be handed to `submit`, which has it done in another process; without this it is
        done in place. The scores must not depend on it. A scorer bears it when `submit` raises RuntimeError or its
        futures raise BrokenExecutor or CancelledError: the other processes may end before the crawl does."""

    def explain(self, url: str, page: JudgedPage) -> Sequence[Part]:
        """What the score of a waiting `url` is made of now, after `page`, the newest that links to it, was observed.
        The summands make up the score; nothing for a URL the scorer does not know. Changes nothing."""
        return ()


def best_of(parts: Sequence[Part], best: float) -> Sequence[Part]:
    """Where the best link to a URL counts: `parts` of the newest link, unless an older one has given the score."""
    worth = sum(part.value for part in parts if not part.of)
    return parts if abs(worth - best) < SAME else (Part(BEFORE, best),)


def link_to(url: str, outlinks: Sequence[Outlink]) -> Outlink | None:
    """A page's link to `url`; of several the last."""
    return next((outlink for outlink in reversed(outlinks) if outlink.link.url == url), None)
