"""Conditional requests (RFC 9110, 13.1): an answer that the client has already is not sent again."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from hashlib import blake2b

from lab.replay.wire import Request
from zhuti.demo.recorded.base import Answer

OK, NOT_MODIFIED = 200, 304


def conditional(answer: Answer, request: Request) -> Answer:
    """The answer with an ETag; 304 when the request names it, or else a time since which nothing has changed."""
    if answer.status != OK:
        return answer
    etag = f'"{blake2b(answer.body, digest_size=10).hexdigest()}"'
    headers = (*answer.headers, ("ETag", etag))
    if request.none_match:
        named = [name.strip().removeprefix("W/") for name in request.none_match.split(",")]
        same = "*" in named or etag in named
    else:
        same = _is_old(dict(answer.headers).get("Last-Modified", ""), request.modified_since)
    if not same:
        return Answer(answer.status, headers, answer.body)
    return Answer(NOT_MODIFIED, tuple(pair for pair in headers if pair[0] != "Content-Type"))


def _is_old(modified: str, since: str) -> bool:
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):  # one is missing, or no date
        return False
