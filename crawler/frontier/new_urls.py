"""How URLs enter the frontier, and how their scores change while they wait."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from crawler.database.schema import urls
from crawler.database.statements import Many, Query, chunks, types_of
from crawler.frontier.queues import Queues, summed
from crawler.records import UrlState


class NewUrl(NamedTuple):
    """A URL that should wait in the frontier. Made for every link seen: a dataclass would cost thrice as much."""

    url: str  # canonical
    score: float  # higher is fetched sooner
    depth: int = 0  # links from the nearest seed
    distance: int = 0  # off-topic pages in a row on the way here
    hops: int = 0  # redirects in a row that led here
    via: int | None = None  # row of the page it was found on
    index_kind: str = ""  # kind of the index file that it is; "": a page
    pinned: bool = False  # its score is the worth of a visit now, and stays as it is
    further_of: int | None = None  # row of the first page of its thread or article (store.further_pages)


DONE = int(UrlState.DONE)  # comparing enums costs more than the rest of the comparison
# A pinned score is changed as little as that of a URL that is done.
_KNOWN = Query(f"""
SELECT url, id, CASE WHEN pinned THEN {DONE} ELSE state END, score, depth, distance FROM urls
WHERE topic_id = :topic AND url IN :addresses
""")
_ID = Query("SELECT id FROM urls WHERE topic_id = :topic AND url IN :addresses")
_COLUMNS = "topic_id url host_id state score depth distance hops tries found_at via index_kind pinned further_of"
_ADD = Many.into(urls, *_COLUMNS.split())
_IMPROVE = Many.update(urls, "id", "score", "depth", "distance")
_PIN = Many.update(urls, "id", "score", "depth", "distance", "via", "further_of", also="pinned = TRUE")
# The last condition: an index entry less to move for each score that stays.
_RESCORE = Many(
    "UPDATE urls SET score = new.score FROM new"
    " WHERE urls.id = (SELECT u.id FROM urls u WHERE u.topic_id = new.topic AND u.url = new.url)"
    f" AND state <> {DONE} AND pinned IS NOT TRUE AND urls.score <> new.score",
    topic="integer",
    **types_of(urls, "url", "score"),
)


def netloc(url: str) -> str:
    """Host and port of a canonical http(s) URL, as politeness knows them."""
    return url.split("/", 3)[2]


def merged(found: Iterable[NewUrl]) -> list[NewUrl]:
    """Each URL once, at its first place: the last score, or the best pinned one; the least depth and distance."""
    by_url: dict[str, NewUrl] = {}
    for item in found:
        if (seen := by_url.get(item.url)) is not None:
            depth, distance = min(seen.depth, item.depth), min(seen.distance, item.distance)
            best = seen._replace(score=item.score)
            if seen.pinned or item.pinned:
                best = max(seen, item, key=lambda each: (each.pinned, each.score))
            item = best._replace(depth=depth, distance=distance)
        by_url[item.url] = item
    return list(by_url.values())


def add(
    connection: Connection, queues: Queues, found: Iterable[NewUrl], now: float, served_at: float, improve: bool
) -> int:
    """Lets URLs wait, in the order given. Of a known URL that is not done, `improve` sets the score and lowers depth
    and distance. A host that is new waits its turn from `served_at` on. Returns how many URLs are new."""
    new = 0
    steps: list[tuple[int, int, int]] = []
    proven: list[int] = []  # hosts of seeds, and of what they lead to by redirects
    for chunk in chunks(merged(found)):
        addresses = [item.url for item in chunk]
        known = {row[0]: row for row in _KNOWN.rows(connection, topic=queues.topic_id, addresses=addresses)}
        fresh = [(item, netloc(item.url)) for item in chunk if item.url not in known]
        ids = queues.ids(connection, {host for _, host in fresh}, served_at)
        steps += [(ids[host], 1, 0) for _, host in fresh]
        proven += [ids[host] for item, host in fresh if item.depth == 0]
        added = []
        for item, host in fresh:  # in the order of _ADD
            place = (int(UrlState.WAITING), item.score, item.depth, item.distance, item.hops)
            kinds = (item.index_kind or None, item.pinned or None, item.further_of)
            added.append((queues.topic_id, item.url, ids[host], *place, 0, now, item.via, *kinds))
        _ADD.run(connection, added)
        if improve:
            steps += [(host, 0, 0) for host in _improve(connection, queues, chunk, known)]
        new += len(fresh)
    queues.change(connection, summed(steps, proven=proven))  # once for each host, however many of its URLs were found
    return new


def known(connection: Connection, topic_id: int, addresses: Sequence[str]) -> dict[str, int]:
    """The states of those URLs that the frontier has seen; DONE of those with a pinned score."""
    found = (row for some in chunks(addresses) for row in _KNOWN.rows(connection, topic=topic_id, addresses=some))
    return {url: state for url, _, state, *_ in found}


def new_among(connection: Connection, topic_id: int, addresses: Sequence[str], shown: Collection[str] = ()) -> set[str]:
    """Returns the URLs that the frontier has never seen, or that still wait for their first visit and are not among
    those `shown` before."""
    states = known(connection, topic_id, addresses)
    return {url for url in addresses if url not in states or (states[url] != DONE and url not in shown)}


def id_of(connection: Connection, topic_id: int, url: str) -> int | None:
    """The id of its row; None for a URL that the topic has not seen."""
    found: int | None = _ID.value(connection, topic=topic_id, addresses=[url])
    return found


def rescore(connection: Connection, queues: Queues, scores: Mapping[str, float]) -> None:
    """Sets new scores of URLs that are not done; all others are ignored."""
    for chunk in chunks(list(scores.items())):
        _RESCORE.run(connection, [(queues.topic_id, url, score) for url, score in chunk])
    touched = queues.known(connection, {netloc(url) for url in scores})
    queues.change(connection, summed((host, 0, 0) for host in touched.values()))


def _improve(
    connection: Connection, queues: Queues, chunk: Iterable[NewUrl], known: Mapping[str, Sequence[Any]]
) -> Iterable[int]:
    """Improves those that are known and not done; news keeps the score that it gets here. Returns the ids of
    the hosts whose URLs have changed."""
    better: list[tuple[int, float, int, int]] = []
    pinned: list[tuple[int, float, int, int, int | None, int | None]] = []
    names: set[str] = set()
    for item in chunk:
        if (row := known.get(item.url)) is None:
            continue
        _, host_id, state, score, depth, distance = row
        place = (host_id, item.score, min(item.depth, depth), min(item.distance, distance))
        if state != DONE and item.pinned:
            pinned.append((*place, item.via, item.further_of))
            names.add(netloc(item.url))
        elif state != DONE and (item.score != score or item.depth < depth or item.distance < distance):
            better.append(place)
            names.add(netloc(item.url))
    _IMPROVE.run(connection, better)
    _PIN.run(connection, pinned)
    return queues.known(connection, names).values()
