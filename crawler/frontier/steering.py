"""What people block and boost while a crawl is at work: patterns of URLs, obeyed at the next claim.

A blocked URL that waits is set aside (`UrlState.BLOCKED`) and waits again when nothing blocks it any more. A boosted
one is fetched before all others but seeds. Nothing is deleted: of several steers with one pattern the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from sqlalchemy import Connection, insert, select

from crawler.database.schema import OPEN, steers, urls
from crawler.database.statements import Many, Query
from crawler.errors import SettingError
from crawler.frontier.new_urls import NewUrl
from crawler.frontier.queues import Queues, summed
from crawler.messages import N_, _
from crawler.records import UrlState

BOOST = 1_000.0  # is added to a score: more than links and visits are worth, less than a seed
BREAK = re.compile(r"[\s，、；]+|,\s")  # between patterns: none of it is in a canonical address
LONGEST_PATTERN = 500  # characters of a pattern
MOST_STARS = 8  # in a pattern

_VERSION = Query("SELECT coalesce(max(id), 0) FROM steers WHERE topic_id = :topic")
_MATCHING = Query(
    "SELECT id, host_id, url, score FROM urls WHERE topic_id = :topic AND state IN :states AND url LIKE :like"
    " ESCAPE '!'"
)
_BLOCKED = Query(f"SELECT id, host_id, url FROM urls WHERE topic_id = :topic AND state = {UrlState.BLOCKED:d}")
_BOOSTED = Query(
    f"SELECT id, host_id, url, score FROM urls WHERE topic_id = :topic AND pinned AND score BETWEEN {BOOST} / 2"
    f" AND {BOOST} * 2 AND state <> {UrlState.DONE:d}"
)
_SET_ASIDE = Many.update(urls, "id", also=f"state = {UrlState.BLOCKED:d}, not_before = NULL")
_LET_WAIT = Many.update(urls, "id", also=f"state = {UrlState.WAITING:d}")
_RAISE = Many.update(urls, "id", "score", also="pinned = TRUE")
_LOWER = Many.update(urls, "id", "score", also="pinned = NULL")


def patterns(text: str) -> list[str]:
    """What was written as one or as several: `a.example, b.example`. An address may hold a comma."""
    parts = BREAK.split(text)
    return list(filter(None, (part.strip() for each in parts for part in ([each] if "/" in each else each.split(",")))))


class Action(StrEnum):
    BLOCK = N_("block")
    BOOST = N_("boost")
    CLEAR = N_("clear")  # neither any more


@dataclass(frozen=True)
class Steer:
    """A host (`a.example`, `*.example`), the beginning of an address (`a.example/tag/`, `https://a.example/x`), or one
    with `*` for anything. Raises SettingError for a pattern that cannot be used."""

    pattern: str
    action: Action
    at: float = 0.0  # seconds since the epoch
    who: str = ""

    def __post_init__(self) -> None:
        if (
            len(self.pattern) > LONGEST_PATTERN
            or not re.search(r"\w", self.pattern.rpartition("://")[2])
            or BREAK.search(self.pattern)
        ):
            raise SettingError(
                _("{pattern!r} is not a pattern; give a host, *.host, or how an address begins"),
                pattern=self.pattern[:80],
            )
        if self.pattern.rstrip("*").count("*") > MOST_STARS:
            raise SettingError(
                _("{pattern!r} has more than {most} asterisks; give a shorter pattern"),
                pattern=self.pattern[:80],
                most=MOST_STARS,
            )

    @cached_property
    def _glob(self) -> str:
        """The pattern as a glob over the whole canonical URL: `*` stands for anything."""
        rest = self.pattern.rstrip("*")
        if "://" in rest:
            return f"{rest}*"
        return f"*://{rest}*" if "/" in rest else f"*://{rest}/*"

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        # `[^/]*` within the host, or `*.example` would match the path of another host.
        scheme, _sep, rest = self._glob.partition("://")
        host, slash, path = rest.partition("/")
        parts = (scheme.replace("*", "https?"), _matched(host, "[^/]"))
        return re.compile("://".join(parts) + slash + _matched(path, "."), re.DOTALL)

    @property
    def like(self) -> str:
        return re.sub(r"([%_!])", r"!\1", self._glob).replace("*", "%")

    def matches(self, url: str) -> bool:
        return self._expression.fullmatch(url) is not None


def _matched(glob: str, any_of: str) -> str:
    """An expression in which each piece between two stars is taken where it first occurs, once and for all: what
    remains decides nothing about it, and time stays linear."""
    first, *others = map(re.escape, glob.split("*"))
    if not others:
        return first
    return first + "".join(f"(?>{any_of}*?{piece})" for piece in others[:-1]) + f"{any_of}*{others[-1]}"


@dataclass(frozen=True)
class Steering:
    """The steers of a topic that are in force. Of two that match the same URL, a block counts."""

    version: int = 0  # of the table: rises with each steer
    steers: Sequence[Steer] = ()

    def of(self, url: str) -> Steer | None:
        """The one that decides about the URL."""
        found = [steer for steer in self.steers if steer.matches(url)]
        return min(found, key=lambda steer: steer.action is not Action.BLOCK, default=None)

    def blocks(self, url: str) -> bool:
        steer = self.of(url)
        return steer is not None and steer.action is Action.BLOCK

    def boosts(self, url: str) -> bool:
        steer = self.of(url)
        return steer is not None and steer.action is Action.BOOST

    def boosted(self, found: Iterable[NewUrl]) -> Iterable[NewUrl]:
        if not self.steers:
            return found
        return (
            url._replace(score=url.score + BOOST, pinned=True) if url.score < BOOST and self.boosts(url.url) else url
            for url in found
        )


def version(connection: Connection, topic_id: int) -> int:
    return int(_VERSION.value(connection, topic=topic_id))


def steering(connection: Connection, topic_id: int) -> Steering:
    last: dict[str, Steer] = {}
    newest = 0
    for row in connection.execute(select(steers).where(steers.c.topic_id == topic_id).order_by(steers.c.id)):
        last[row.pattern] = Steer(row.pattern, Action(row.action), row.at, row.who)
        newest = row.id
    return Steering(newest, tuple(steer for steer in last.values() if steer.action is not Action.CLEAR))


def add(connection: Connection, topic_id: int, steer: Steer) -> None:
    """Adds a steer, which is obeyed from the next claim on. Raises SettingError when there is nothing to clear."""
    known = {other.pattern for other in steering(connection, topic_id).steers}
    if steer.action is Action.CLEAR and steer.pattern not in known:
        raise SettingError(
            _("nothing blocks or boosts {pattern!r}; `zhuti steer` lists what does"), pattern=steer.pattern
        )
    values = {"topic_id": topic_id, "pattern": steer.pattern, "action": steer.action.value}
    connection.execute(insert(steers).values(**values, at=steer.at, who=steer.who))


def apply(connection: Connection, queues: Queues, now: Steering) -> None:
    """Sets aside what is blocked, lets wait what no longer is, raises and lowers scores. Doing it twice changes nothing
    more."""
    topic = queues.topic_id
    freed = [row for row in _BLOCKED.rows(connection, topic=topic) if not now.blocks(row[2])]
    _LET_WAIT.run(connection, [(row_id,) for row_id, *_ in freed])
    queues.change(connection, summed((host, 1, 0) for _, host, _ in freed))
    lowered = [row for row in _BOOSTED.rows(connection, topic=topic) if not now.boosts(row[2])]
    _LOWER.run(connection, [(row_id, score - BOOST) for row_id, _, _, score in lowered])
    queues.change(connection, summed((host, 0, 0) for _, host, *_ in lowered))
    for steer in now.steers:
        found = _MATCHING.rows(connection, topic=topic, states=list(OPEN), like=steer.like)
        rows = [row for row in found if now.of(row[2]) is steer]
        if steer.action is Action.BLOCK:
            set_aside(connection, queues, [(row_id, host) for row_id, host, *_ in rows])
        else:
            _RAISE.run(connection, [(row_id, score + BOOST) for row_id, _, _, score in rows if score < BOOST / 2])
            queues.change(connection, summed((host, 0, 0) for _, host, *_ in rows))


def set_aside(
    connection: Connection, queues: Queues, rows: Sequence[tuple[int, int]], served_at: float | None = None
) -> None:
    """Takes rows, (id, host), out of what is claimed until `apply` lets them wait again. `served_at`: within a claim,
    which has locked their queues."""
    _SET_ASIDE.run(connection, [(row_id,) for row_id, _ in rows])
    queues.change(connection, summed((host, -1, 0) for _, host in rows), served_at)
