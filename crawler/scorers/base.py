"""The interface of all link scorers: learn judged pages, give every waiting URL a score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from crawler.records import JudgedPage


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

    def forget(self, url: str) -> None:  # noqa: B027
        """`url` ended without a judged page (failed, redirected, no HTML)."""

    def refresh(self) -> Mapping[str, float]:
        """Called after every committed batch. When enough has changed, recompute and return the new scores of
        waiting URLs; otherwise nothing."""
        return {}
