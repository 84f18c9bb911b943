"""Which doors a crawl is offered: those that pages and robots.txt declare, and the usual places of hosts worth it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from crawler.discovery.doors import Door, Found, Kind
from crawler.html.urls import host
from crawler.recent import Recent
from crawler.records import Analysis, Link, Outlink

LOOKS = 3  # pages of a host that are searched for doors: nearly all declare them on every page
GUESSES = 6  # usual places of a host that are tried, where nothing of the kind is declared
DOOR_PATH = "door"  # stands for the tag path of a link to a door
KINDS = frozenset(kind.value for kind in Kind if kind is not Kind.OPENSEARCH)  # that list pages


@dataclass(slots=True)
class _Offers:
    """What a host was offered already."""

    looks: int = 0  # pages that were searched
    declared: tuple[Door, ...] = ()  # by robots.txt, until a page of the host is judged
    kinds: set[str] = field(default_factory=set)  # that the host has declared
    guessed: bool = False  # whether its usual places were offered


NONE = _Offers()


class DoorFinder:
    """Remembers, host by host, what was offered already; a host that is forgotten is offered the same again, which the
    frontier knows. Doors are links of the pages that declare them, so a link scorer learns of them from the log as it
    does of all links."""

    def __init__(self, kinds: Collection[str] = KINDS, guesses: int = GUESSES) -> None:
        """`kinds`: doors of other kinds are left out; none: doors are not looked for. `guesses`: tries a host."""
        self._kinds = frozenset(kinds)
        self._guesses = guesses
        self._hosts: Recent[str, _Offers] = Recent()

    def is_new(self, url: str) -> bool:
        """Whether no page of the host was judged yet."""
        return not self._hosts.get(host(url), NONE).looks

    def looks(self, url: str) -> bool:
        """Whether the page's doors are to be looked for: of usual places that wait for a page on topic, always."""
        offers = self._hosts.get(host(url), NONE)
        return bool(self._kinds) and (offers.looks < LOOKS or not offers.guessed)

    def hear(self, url: str, doors: tuple[Door, ...]) -> None:
        """What the robots.txt of the host of `url` declares."""
        if declared := tuple(door for door in doors if door.kind in self._kinds):
            self._of(host(url)).declared = declared

    def admit(self, url: str, judged: Analysis) -> Analysis:
        """The analysis of the page at `url` with the doors that shall wait in the frontier among its outlinks.

        Declared doors are offered with the first LOOKS pages of a host, usual places with the first page that is on
        topic, for kinds that nothing was declared of."""
        offers = self._of(host(url))
        pages = [outlink for outlink in judged.outlinks if not outlink.link.door]
        doors = [outlink for outlink in judged.outlinks if outlink.link.door in self._kinds]
        doors += map(Outlink, door_links(offers.declared))
        offers.declared = ()
        offers.looks += 1
        declared: list[Outlink] = []
        if offers.looks <= LOOKS:
            declared = [outlink for outlink in doors if outlink.link.rel != Found.GUESS]
            offers.kinds.update(outlink.link.door for outlink in declared)
        guesses: list[Outlink] = []
        if judged.judgement.on_topic and not offers.guessed:
            offers.guessed = True
            undeclared = (outlink for outlink in doors if outlink.link.door not in offers.kinds)
            guesses = [outlink for outlink in undeclared if outlink.link.rel == Found.GUESS]
        offered = [*declared, *guesses[: self._guesses]]
        addresses = {outlink.link.url for outlink in offered}
        rest = (outlink for outlink in pages if outlink.link.url not in addresses)
        return replace(judged, outlinks=(*rest, *offered))

    def _of(self, name: str) -> _Offers:
        offers = self._hosts[name] = self._hosts.get(name) or _Offers()
        return offers


def door_links(doors: Iterable[Door]) -> list[Link]:
    return [Link(door.url, tag_path=DOOR_PATH, rel=door.found, door=door.kind) for door in doors]
