"""Where proposals for seeds come from: one class a source, behind one interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proposal:
    """A page that a source names. Nobody has looked yet whether it is about the words."""

    url: str  # as the source writes it
    markup: str | None = None  # the page itself, where the source holds it; None: it has to be fetched


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a source may need of the settings."""

    agent: str  # USER_AGENT
    store_url: str  # STORE_URL


class SeedSource(ABC):
    """A place that knows addresses. Made with the place (an address, a file, a topic) as the user gives it."""

    terms: str = ""  # one sentence for the user: what the source asks of those who use it, "" nothing

    def __init__(self, place: str, surroundings: Surroundings) -> None:
        """Raises SourceError for a place that cannot be one."""
        self.place = place
        self.surroundings = surroundings

    @abstractmethod
    def proposals(self, words: str) -> Iterator[Proposal]:
        """Pages that may be about the words, the best first, without end if need be: the caller stops. What is asked
        for or read is asked for as the iteration goes on. Raises SourceError when the source cannot be used."""
