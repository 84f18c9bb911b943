"""What is new: the pages that came, changed, went or left the topic in a run and after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Subquery, and_, func, or_, select

from crawler.database.schema import SIMILARITY, WAS_FETCHED, fetches, has_code, judgements, pages, runs, urls, versions
from crawler.database.statements import count
from crawler.frontier.new_urls import id_of
from crawler.questions.runs import Run
from crawler.reasons import Code
from crawler.records import Outcome
from crawler.store.changes import change, texts_around
from crawler.store.compression import reader
from crawler.store.visits import count_textless

Order = tuple[ColumnElement[Any], ...]

BY_FETCH: Order = (pages.c.fetched_at.desc(), judgements.c.url_id.desc())
BY_DATE: Order = (func.coalesce(pages.c.published, "").desc(), *BY_FETCH)  # pages without a date come last
NO_END = 2**31 - 1  # above every run's number
# Pages of a host that are told as changed in one run, from which on they are one item: it was rendered anew. On 92 of
# 100 days on which a recorded site changed texts of posts it changed fewer, and on those of new templates 29 or more.
RENDERED_ANEW = 5
OPENING = 160  # characters of a body that show what a page is about


@dataclass(frozen=True, slots=True)
class Item:
    """A page of which there is news."""

    url: str
    title: str
    opening: str  # of its body, in one line; "" of a page that is gone
    published: str | None  # ISO 8601
    at: float  # when this text was fetched, seconds since the epoch
    similarity: float
    former: str | None = None  # the address of a page that has moved, before
    dropped_at: float | None = None  # when a page was dropped, seconds since the epoch
    added: tuple[str, ...] = ()  # what a page that has changed says now, in stretches of its text
    removed: tuple[str, ...] = ()  # what it said before, while its older text is there (HISTORY)
    alike: int = 0  # further pages of its host that changed in the same run, RENDERED_ANEW or more in all


@dataclass(frozen=True, slots=True)
class News:
    """What a run has brought, and as a rule all that came after it; what was published last comes first."""

    topic: str
    run: Run
    new: tuple[Item, ...]  # kept for the first time
    changed: tuple[Item, ...]  # another text than before
    gone: tuple[Item, ...]  # no longer there, by their hosts' word
    moved: tuple[Item, ...]  # the same text at another address of its site
    dropped: tuple[Item, ...]  # kept no more: two visits in a row found them off topic
    counts: tuple[int, int, int, int, int]  # how many there are of each, however few were asked for
    fresh: int = 0  # of the new ones, how many were published since the run before began: the first of `new`
    textless: int = 0  # likely posts that had no text at their first visit, and are not kept since
    withdrawn: int = 0  # of those dropped, how many because their publishers say no by now


def news_of(
    connection: Connection, topic: str, topic_id: int, run: Run, limit: int | None = None, *, alone: bool = False
) -> News:
    """`limit`: at most this many items of each kind; the counts are complete. `alone`: without what came later."""
    until = run.id if alone else NO_END
    there, came = pages.c.gone_at.is_(None), is_new(topic_id, run.id, until)
    changes = _changes(topic_id, run.id, until)
    conditions = (
        and_(there, came),
        and_(there, ~came, judgements.c.url_id.in_(_told(changes))),
        and_(~there, has(topic_id, Outcome.GONE, run.id, until)),
        and_(there, pages.c.moved_at.between(run.started_at, (run.ended_at if alone else None) or inf)),
        has(topic_id, Outcome.DROPPED, run.id, until),
    )
    ends = (*(Outcome.KEPT,) * 4, Outcome.OFF_TOPIC)  # what is thought of them now
    wanted = [and_(judgements.c.outcome == end.value, what) for end, what in zip(ends, conditions, strict=True)]
    found = [tuple(_items(connection, topic_id, what, limit, BY_DATE)) for what in wanted]
    new, changed, gone, moved, dropped = found
    alike = _alike(connection, changes) if changed else {}
    changed = tuple(replace(_in_words(connection, topic_id, each), alike=alike.get(each.url, 0)) for each in changed)
    times = _dropped_at(connection, topic_id) if dropped else {}
    dropped = tuple(replace(item, dropped_at=times[item.url]) for item in dropped)
    counts = [len(items) for items in found]
    if limit is not None:
        counts = [_count(connection, topic_id, what) for what in wanted]
    each = (counts[0], counts[1], counts[2], counts[3], counts[4])
    textless = count_textless(connection, topic_id, run.started_at, (run.ended_at if alone else None) or inf)
    day = _began_before(connection, topic_id, run)
    fresh = _count(connection, topic_id, and_(wanted[0], pages.c.published >= day)) if day and counts[0] else counts[0]
    says_no = has_code(judgements.c.reason, Code.FORBIDDEN_TO_KEEP)
    withdrawn = _count(connection, topic_id, and_(wanted[4], says_no)) if dropped else 0
    return News(topic, run, new, changed, gone, moved, dropped, each, fresh, textless, withdrawn)


def _began_before(connection: Connection, topic_id: int, run: Run) -> str:
    """The day on which the run before began, in ISO 8601 and UTC; "" for the first one."""
    earlier = select(func.max(runs.c.started_at)).where(runs.c.topic_id == topic_id, runs.c.id < run.id)
    at = connection.execute(earlier).scalar()
    return "" if at is None else datetime.fromtimestamp(at, UTC).date().isoformat()


def newest(connection: Connection, topic_id: int, limit: int) -> tuple[Item, ...]:
    """The pages of the topic that were fetched last and are not gone."""
    is_kept = judgements.c.outcome == Outcome.KEPT.value
    return tuple(_items(connection, topic_id, and_(is_kept, pages.c.gone_at.is_(None)), limit, BY_FETCH))


def is_new(topic_id: int, since: int, until: int = NO_END) -> ColumnElement[bool]:
    """Whether the judged URL was kept in the run `since` or a later one up to `until`, and never before."""
    earlier = func.coalesce(fetches.c.run_id, 0) < since
    before = select(fetches.c.url_id).where(
        fetches.c.topic_id == topic_id, fetches.c.outcome == Outcome.KEPT.value, WAS_FETCHED, earlier
    )
    return and_(has(topic_id, Outcome.KEPT, since, until), judgements.c.url_id.not_in(before))


def has(topic_id: int, outcome: Outcome, since: int, until: int = NO_END) -> ColumnElement[bool]:
    """Whether a visit of the judged URL ended so, in the run `since` or a later one up to `until`."""
    during = fetches.c.run_id.between(since, until)
    ended = select(fetches.c.url_id).where(fetches.c.topic_id == topic_id, fetches.c.outcome == outcome.value, during)
    return judgements.c.url_id.in_(ended)


def _changes(topic_id: int, since: int, until: int) -> Subquery:
    """The visits of these runs that found a change: how many pages of the host changed in the run, and which of them
    this one is."""
    host_and_run = [fetches.c.run_id, urls.c.host_id]
    number = func.count().over(partition_by=host_and_run).label("number")
    place = func.row_number().over(partition_by=host_and_run, order_by=fetches.c.id).label("place")
    found = select(fetches.c.url_id, number, place).join_from(fetches, urls, urls.c.id == fetches.c.url_id)
    ended = fetches.c.outcome == Outcome.CHANGED.value
    return found.where(fetches.c.topic_id == topic_id, ended, fetches.c.run_id.between(since, until)).subquery()


def _told(changes: Subquery) -> Select[Any]:
    """The URLs that are told as changed: of a host that was rendered anew one."""
    return select(changes.c.url_id).where(or_(changes.c.number < RENDERED_ANEW, changes.c.place == 1))


def _alike(connection: Connection, changes: Subquery) -> dict[str, int]:
    """How many more pages of its host changed in the same run, by the page that stands for them."""
    query = select(urls.c.url, func.max(changes.c.number) - 1).join_from(changes, urls, urls.c.id == changes.c.url_id)
    first = query.where(changes.c.place == 1, changes.c.number >= RENDERED_ANEW).group_by(urls.c.url)
    return dict(connection.execute(first).all())


def _dropped_at(connection: Connection, topic_id: int) -> dict[str, float]:
    ended = and_(fetches.c.topic_id == topic_id, fetches.c.outcome == Outcome.DROPPED.value)
    query = select(urls.c.url, func.max(fetches.c.at)).join_from(fetches, urls, urls.c.id == fetches.c.url_id)
    return dict(connection.execute(query.where(ended).group_by(urls.c.url)).all())


def _in_words(connection: Connection, topic_id: int, item: Item) -> Item:
    """The item with what has changed since the text before."""
    row = connection.execute(
        select(urls.c.id, pages.c.body, versions.c.body)
        .join_from(urls, pages, pages.c.url == urls.c.url)
        .join(versions, versions.c.page_id == pages.c.id)
        .where(urls.c.id == id_of(connection, topic_id, item.url), pages.c.body.is_not(None))
        .order_by(versions.c.id.desc())
        .limit(1)
    ).first()
    if row is None:
        return item
    codec = reader(connection)
    row_id, now, before = row
    found = change(codec.unpack_text(before), codec.unpack_text(now), texts_around(connection, topic_id, row_id))
    return replace(item, added=found.added, removed=found.removed)


def _count(connection: Connection, topic_id: int, wanted: ColumnElement[bool]) -> int:
    return count(connection, judgements.c.topic_id == topic_id, judgements.c.page_id == pages.c.id, wanted)


def _items(
    connection: Connection, topic_id: int, wanted: ColumnElement[bool], limit: int | None, order: Order
) -> Iterator[Item]:
    chosen = (  # texts are read of these alone, for a run may have brought a million
        select(judgements.c.url_id)
        .join_from(judgements, pages, pages.c.id == judgements.c.page_id)
        .where(judgements.c.topic_id == topic_id, wanted)
        .order_by(*order)
        .limit(limit)
        .subquery()
    )
    columns = (pages.c.title, pages.c.body, pages.c.published, pages.c.fetched_at, SIMILARITY, pages.c.moved_from)
    query = (
        select(urls.c.url, *columns)
        .join_from(chosen, judgements, judgements.c.url_id == chosen.c.url_id)
        .join(pages, pages.c.id == judgements.c.page_id)
        .join(urls, urls.c.id == judgements.c.url_id)
        .order_by(*order)
    )
    codec = reader(connection)
    for row in connection.execute(query).all():
        body = " ".join(codec.unpack_text(row.body)[: 2 * OPENING].split()) if row.body else ""
        opening = body if len(body) <= OPENING else f"{body[:OPENING]}…"
        yield Item(row.url, row.title, opening, row.published, row.fetched_at, row.similarity, row.moved_from)
