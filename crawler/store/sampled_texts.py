"""Texts of dropped pages. A few are stored: to ask people about, and to be kept after all when their answers say so.
Without them a topic could only be taught to keep less."""

from __future__ import annotations

from zlib import crc32

from crawler.records import Analysis

TOLD_APART = 0.05  # similarity: below it next to no page is on the topic
ONE_OF = 4  # dropped pages; chosen by their address, so that they are a sample


def keeps_text(url: str, found: Analysis) -> bool:
    """Whether a dropped page's text is stored: one of ONE_OF posts that only their similarity keeps out."""
    says = found.extraction
    allowed = not found.forbids - found.waived - {"nofollow"}
    return says.is_post and allowed and found.judgement.similarity >= TOLD_APART and crc32(url.encode()) % ONE_OF == 0
