"""What is visited again: the crawler's own policy, simple ones to hold it against, and one that knows the days.

Each gives scores to URLs that were visited before; links that a later visit shows are fetched first by all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from heapq import nlargest

from sqlalchemy import Connection

from crawler.clock import DAY
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.records import Outcome
from crawler.store.revisits import plan, worth_of_new
from crawler.store.sources import HOME, Source, sources
from lab.lapse.truth import Truth
from lab.replay.lapse import EPOCH

LEAST_NEW = worth_of_new(0.05)  # new links with a lesser chance come after what is visited again, which helps all


class Policy(ABC):
    @abstractmethod
    def worths(self, known: list[Source], now: float) -> Iterable[tuple[float, int]]:
        """(score, row) of the URLs that may be visited now."""

    def plan(self, connection: Connection, topic_id: int, now: float, most: int = 0) -> dict[int, float]:
        found = nlargest(most, self.worths(sources(connection, topic_id), now))
        return {row_id: LEAST_NEW - place for place, (_, row_id) in enumerate(found)}

    def before(self, frontier: Frontier, now: float, visited: Mapping[str, float]) -> None:  # noqa: B027
        """At the beginning of a day. `visited`: when each address of the labels was visited last."""


class Own(Policy):
    """Expected gain: what `zhuti harvest` does."""

    def worths(self, known: list[Source], now: float) -> Iterable[tuple[float, int]]:
        raise NotImplementedError

    def plan(self, connection: Connection, topic_id: int, now: float, most: int = 0) -> dict[int, float]:
        return plan(connection, topic_id, now, most)


class InTurn(Policy):
    """All that was visited, the one longest ago first."""

    def worths(self, known: list[Source], now: float) -> Iterable[tuple[float, int]]:
        return [((now - source.visited_at) / DAY, source.url_id) for source in known if self.wants(source)]

    def wants(self, source: Source) -> bool:
        return not source.missing


class Homes(InTurn):
    """Home pages alone."""

    def wants(self, source: Source) -> bool:
        return source.role == HOME


class HomesAllNew(Homes):
    """Each home page each day, after every new link that they have shown, whatever its chance."""

    def plan(self, connection: Connection, topic_id: int, now: float, most: int = 0) -> dict[int, float]:
        found = nlargest(most, self.worths(sources(connection, topic_id), now))
        return {row_id: worth_of_new(0.0) - (place + 1) / len(found) for place, (_, row_id) in enumerate(found)}


class Sitemaps(InTurn):
    """Sitemaps, and the pages of which they tell a change."""

    def wants(self, source: Source) -> bool:
        return (source.index_kind == "sitemap" or source.told) and not source.missing


class KnowsTheDays(InTurn):
    """Fetches new posts on the day of their publication, and kept pages on the day on which their text changes."""

    def __init__(self, truth: Truth, topic: str) -> None:
        self._truth = truth
        self._posts = sorted(truth.of_topic(topic).values(), key=lambda post: post.day)

    def before(self, frontier: Frontier, now: float, visited: Mapping[str, float]) -> None:
        day = (now - EPOCH) / DAY
        due = [post.url for post in self._posts if post.day <= day and post.url not in visited]
        frontier.add([NewUrl(url, 1e5, pinned=True) for url in due], now)

    def worths(self, known: list[Source], now: float) -> Iterable[tuple[float, int]]:
        for source in known:
            url = self._truth.label(source.url)
            if (
                source.is_kept
                and self._truth.next_change(url, (source.visited_at - EPOCH) / DAY) <= (now - EPOCH) / DAY
            ):
                yield 1.0, source.url_id


SIMPLE = {
    "in turn": InTurn,
    "sitemaps": Sitemaps,
    "homes": Homes,
    "homes, all new links": HomesAllNew,
}
OWN, ORACLE = "expected gain", "knows the days"
NEWS = (Outcome.KEPT, Outcome.CHANGED)


def policy(name: str, truth: Truth, topic: str) -> Policy:
    """Raises KeyError for an unknown name."""
    if name == OWN:
        return Own()
    return KnowsTheDays(truth, topic) if name == ORACLE else SIMPLE[name]()
