"""How long an answer may be used, by its own headers (RFC 9111)."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

from scrapy.http import Response

from crawler.clock import wall_time
from crawler.records import fresh_until

MOST_SAID = 1000  # characters of a header
MAX_AGE = re.compile(r"\bmax-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
NO_STORE = re.compile(r"\bno-(?:store|cache)\b", re.IGNORECASE)


def expires_at(response: Response) -> float | None:
    """The time until which the answer is fresh by Cache-Control or Expires. None where they say nothing."""
    now = wall_time()
    age = MAX_AGE.search(said(response, "Cache-Control"))
    try:
        until = now + int(age[1]) if age else parsedate_to_datetime(said(response, "Expires")).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
    return fresh_until(now, until)


def said(response: Response, name: str) -> str:
    """A header as text; "" where it is missing or too long to be remembered."""
    value = (response.headers.get(name) or b"").decode("latin-1").replace("\0", "").strip()
    return value if len(value) <= MOST_SAID else ""


def kept_until(response: Response, most: float) -> float | None:
    """The time until which the answer may be kept, by its Cache-Control: `most` seconds at the longest, and where it
    says nothing. None: not at all."""
    control = said(response, "Cache-Control")
    age = MAX_AGE.search(control)
    seconds = 0.0 if NO_STORE.search(control) else min(float(age[1]), most) if age else most
    return wall_time() + seconds if seconds else None
