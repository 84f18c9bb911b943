"""Further pages of threads and articles: where FURTHER_PAGES asks for them, they come with their first page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from crawler.database.statements import Query
from crawler.frontier.new_urls import NewUrl
from crawler.records import Link, Outcome, PageKind
from crawler.scorers.learned.words import first_pages, page_number
from crawler.store.fetch_log import Settled

_FIRST = Query("SELECT first.url, first.id FROM urls u JOIN urls first ON first.id = u.further_of WHERE u.id = :row")


def with_further(
    connection: Connection, item: Settled, links: Sequence[Link], found: Iterable[NewUrl], most: int
) -> list[NewUrl]:
    """`found`, the URLs of the links of a page. Those that are further pages of it, or of the post that it goes on
    with, are worth as much as it, if it is no list and was kept; of a post the first `most` of them."""
    firsts = _firsts(connection, item, links, most) if most and _is_post(item) else {}
    if not firsts:
        return list(found)
    score = item.visit.claim.score
    return [
        url._replace(score=max(score, url.score), pinned=True, further_of=firsts[url.url]) if url.url in firsts else url
        for url in found
    ]


def _is_post(item: Settled) -> bool:
    """Whether it was kept at its first visit, and is no list."""
    is_list = item.judged is not None and item.judged.extraction.kind is PageKind.LIST
    return item.outcome is Outcome.KEPT and item.visit.claim.seen is None and not is_list


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
