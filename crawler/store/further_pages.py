"""Further pages of threads and articles: where FURTHER_PAGES asks for them, they come with their first page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from crawler.database.statements import Query
from crawler.frontier.new_urls import NewUrl
from crawler.reasons import Code
from crawler.records import Link, Outcome, PageKind
from crawler.scorers.learned.words import first_pages, page_number
from crawler.store.fetch_log import Settled

_FIRST = Query("SELECT first.url, first.id FROM urls u JOIN urls first ON first.id = u.further_of WHERE u.id = :row")
_OF_KEPT = Query(
    "SELECT u.id FROM urls u JOIN judgements j ON j.url_id = u.further_of"
    f" WHERE u.id IN :rows AND j.outcome = '{Outcome.KEPT}'"
)


def with_further(
    connection: Connection, item: Settled, links: Sequence[Link], found: Iterable[NewUrl], most: int
) -> list[NewUrl]:
    """`found`, the URLs of the links of a page. Those that are further pages of it, or of the post that it goes on
    with, are worth as much as it, if it is not a list and was kept; of a post the first `most` of them."""
    firsts = _firsts(connection, item, links, most) if most and _is_post(item) else {}
    if not firsts:
        return list(found)
    score = item.visit.claim.score
    return [
        url._replace(score=max(score, url.score), pinned=True, further_of=firsts[url.url]) if url.url in firsts else url
        for url in found
    ]


def as_parts(connection: Connection, settled: Sequence[Settled]) -> list[Settled]:
    """With the texts of further pages that only their similarity drops, where their post is kept: a page of short
    answers says little of the topic by itself, and is a part of the post all the same."""
    dropped = [
        item.visit.claim.id
        for item in settled
        if item.outcome is Outcome.OFF_TOPIC and item.reason.code is Code.SIMILARITY
    ]
    parts = {row for (row,) in _OF_KEPT.rows(connection, rows=dropped)} if dropped else set()
    return [replace(item, is_part=True) if item.visit.claim.id in parts else item for item in settled]


def _is_post(item: Settled) -> bool:
    """Whether it was kept at its first visit, or is a part of such a post, and is not a list."""
    is_list = item.judged is not None and item.judged.extraction.kind is PageKind.LIST
    return (item.outcome is Outcome.KEPT or item.is_part) and item.visit.claim.seen is None and not is_list


def _firsts(connection: Connection, item: Settled, links: Sequence[Link], most: int) -> dict[str, int]:
    """By the address of each further page the row of the first one."""
    numbered = [
        (link.url, first)
        for link in links
        if 1 < page_number(link.anchor) <= most + 1
        for first in first_pages(link.url, link.anchor)
    ]
    if not numbered:
        return {}
    claim = item.visit.claim
    posts: dict[str, int] = {claim.url: claim.id, **dict(_FIRST.rows(connection, row=claim.id))}
    return {url: posts[first] for url, first in numbered if first in posts and url not in posts}
