"""Is this HTML at all? The bytes alone decide."""

from __future__ import annotations

import re

SNIFFED = 1024  # first bytes in which a NUL gives a binary file away
UTF16_OR_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")  # byte order marks of text that has NULs
_PAGE = re.compile(rb"[\0\s]*<(?:!doctype html|html|head|body|title|meta|div|p)\b", re.IGNORECASE)  # whatever follows
_TAG = re.compile(rb"<[!/a-zA-Z]")


def is_binary(content: bytes) -> bool:
    """Returns whether the first SNIFFED bytes have a NUL that no byte order mark of UTF-16 or UTF-32 explains."""
    return b"\0" in content[:SNIFFED] and not content.startswith(UTF16_OR_32)


def looks_like_html(content: bytes) -> bool:
    """Returns true for text with at least one tag, and for an empty file; false for binary files and text without
    tags."""
    if not content.strip() or _PAGE.match(content):
        return True
    return not is_binary(content) and _TAG.search(content.replace(b"\0", b"")) is not None
