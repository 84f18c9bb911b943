"""What is other than at the beginning of a run. An increment makes an older export that of today: take every address
that it names out of the older one, and add its rows, but for those that are GONE."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from sqlalchemy import ColumnElement, Label, ScalarSelect, and_, case, func, or_, select

from crawler.database.schema import WAS_FETCHED, fetches, judgements, pages, runs
from crawler.reasons import Code, Reason
from crawler.records import Outcome
from crawler.store.fetch_log import HAS_STORED, RENEWS

NEW, EDITED, MOVED, RENEWED, GONE = "new", "edited", "moved", "renewed", "gone"
FIELDS = ("why", "moved_from")  # of each row of an increment

_KEPT = judgements.c.outcome == Outcome.KEPT.value
_moved = pages.alias("moved")


def since(topic_id: int, run: int) -> ColumnElement[bool]:
    """Whether what is stored of a page is other than it was then, or it was gone then and is back."""
    newest = select(func.max(fetches.c.id)).where(fetches.c.topic_id == topic_id, fetches.c.id <= _last(topic_id, run))
    was_gone = select(fetches.c.url_id).where(
        fetches.c.id.in_(newest.group_by(fetches.c.url_id)), fetches.c.outcome == Outcome.GONE.value
    )
    begun = _begun(topic_id, run)
    return or_(
        judgements.c.url_id.in_(_visited(topic_id, HAS_STORED, fetches.c.id > _last(topic_id, run))),
        pages.c.fetched_at >= begun,  # for another topic too
        pages.c.moved_at >= begun,
        and_(pages.c.gone_at.is_(None), judgements.c.url_id.in_(was_gone)),
        judgements.c.url_id.not_in(_visited(topic_id, HAS_STORED)),  # answers have kept it, nobody knows when
    )


def has_gone(topic_id: int, run: int) -> ColumnElement[bool]:
    """Whether a page was found to be gone since, and is."""
    later = fetches.c.id > _last(topic_id, run)
    found_gone = judgements.c.url_id.in_(_visited(topic_id, fetches.c.outcome == Outcome.GONE.value, later))
    return and_(pages.c.gone_at.is_not(None), found_gone)


def renewed(topic_id: int) -> ColumnElement[bool]:
    """Whether a page has ever got another text or address."""
    again = or_(fetches.c.outcome == Outcome.CHANGED.value, fetches.c.reason.in_(RENEWS))
    return or_(pages.c.moved_at.is_not(None), judgements.c.url_id.in_(_visited(topic_id, again)))


def why(topic_id: int, run: int) -> Label[str]:
    """The reason for which a page is in the increment."""
    last = _last(topic_id, run)
    is_edited = judgements.c.url_id.in_(
        _visited(topic_id, fetches.c.outcome == Outcome.CHANGED.value, fetches.c.id > last)
    )
    known = or_(pages.c.moved_at.is_not(None), judgements.c.url_id.in_(_kept_until(topic_id, last)))
    has_moved = pages.c.moved_at >= _begun(topic_id, run)
    return case((has_moved, MOVED), (~known, NEW), (is_edited, EDITED), else_=RENEWED).label("why")


def left(topic_id: int, run: int) -> ColumnElement[bool]:
    """Whether an address was exported then and may not be now: its page is gone, has moved or has left the topic, or
    has changed so that a condition of the export leaves it out."""
    last, later = _last(topic_id, run), fetches.c.id > _last(topic_id, run)
    was_there = or_(
        judgements.c.url_id.in_(_kept_until(topic_id, last)),
        judgements.c.reason == Reason(Code.MOVED),
        pages.c.moved_at.is_not(None),
    )
    is_dropped = judgements.c.url_id.in_(_visited(topic_id, fetches.c.outcome == Outcome.DROPPED.value, later))
    has_moved = judgements.c.duplicate_of.in_(select(_moved.c.id).where(_moved.c.moved_at >= _begun(topic_id, run)))
    # Or answers have thrown it out, nobody knows when.
    never_dropped = judgements.c.url_id.not_in(_visited(topic_id, fetches.c.outcome == Outcome.DROPPED.value))
    is_out = or_(is_dropped, has_moved, and_(judgements.c.outcome == Outcome.OFF_TOPIC.value, never_dropped))
    ended = or_(and_(_KEPT, or_(has_gone(topic_id, run), since(topic_id, run))), and_(~_KEPT, is_out))
    return and_(judgements.c.topic_id == topic_id, was_there, ended)


def _last(topic_id: int, run: int) -> ScalarSelect[Any]:
    """The last fetch before the run."""
    earlier = and_(fetches.c.topic_id == topic_id, func.coalesce(fetches.c.run_id, 0) < run, WAS_FETCHED)
    return select(func.coalesce(func.max(fetches.c.id), 0)).where(earlier).scalar_subquery()


def _begun(topic_id: int, run: int) -> ScalarSelect[Any]:
    """When the run began, or a later one by a clock that was set back."""
    later = and_(runs.c.topic_id == topic_id, runs.c.id >= run)
    return select(func.coalesce(func.min(runs.c.started_at), inf)).where(later).scalar_subquery()


def _visited(topic_id: int, *conditions: ColumnElement[bool]) -> Any:
    return select(fetches.c.url_id).where(fetches.c.topic_id == topic_id, *conditions)


def _kept_until(topic_id: int, last: ScalarSelect[Any]) -> Any:
    return _visited(topic_id, fetches.c.outcome == Outcome.KEPT.value, fetches.c.id <= last)


def without(fields: Sequence[str]) -> dict[str, Any]:
    """Document.more of an address that is gone. `fields`: those that stages add."""
    return {**dict.fromkeys(fields), "why": GONE, "moved_from": None}
