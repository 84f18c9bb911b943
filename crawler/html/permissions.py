"""What a page's publisher forbids: `noindex` (it is not to be kept) and `nofollow` (its links are not to be followed),
in its meta tags or in the X-Robots-Tag header."""

from __future__ import annotations

import re
from collections.abc import Iterable

CRAWLER = "zhuti"  # the name under which rules for this crawler alone are written
META_NAMES = frozenset({"robots", CRAWLER})
NOINDEX = "noindex"
NOFOLLOW = "nofollow"
RULES = {NOINDEX: {NOINDEX}, NOFOLLOW: {NOFOLLOW}, "none": {NOINDEX, NOFOLLOW}}
BREAK = re.compile(r"[\s,;，、]+")
# "otherbot: noindex" is meant for another crawler; "max-snippet: 20, noindex" for all.
FOR_ONE = re.compile(r"\s*(?!unavailable_after|max-)([\w-]+)\s*:(.*)", re.DOTALL)


def forbidden_by_meta(content: str) -> set[str]:
    """Of the content of a robots meta tag: NOINDEX, NOFOLLOW, both or none."""
    return {rule for word in BREAK.split(content.lower()) for rule in RULES.get(word, ())}


def forbidden_by_headers(values: Iterable[str]) -> frozenset[str]:
    """The same of X-Robots-Tag headers."""
    found: set[str] = set()
    for value in values:
        one = FOR_ONE.match(value)
        if one is None or one[1].lower() == CRAWLER:
            found |= forbidden_by_meta(one[2] if one else value)
    return frozenset(found)
