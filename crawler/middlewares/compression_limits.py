"""Refuses compressed answers that would take the event loop seconds: Scrapy decodes there, bounded in bytes only."""

from __future__ import annotations

import re

from scrapy import Request
from scrapy.http import Response

# A gzip file may have many members and a zstd file many frames. Each costs time however little it holds: 1.8 million
# empty frames took 15 s. Servers send one. By chance the bytes that begin a member stand in 16 MB of data once.
MOST_PARTS = 100
# RFC 1952, 2.3.1: a gzip member; RFC 8878, 3.1.1 and 3.1.2: a zstd frame, a skippable frame.
PARTS = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")


PLAIN = 48  # bytes
PRINTABLE = frozenset(range(0x20, 0x7F)) | frozenset(b"\t\r\n")


class CompressedTooOften(Exception):
    """The compressed data has more than MOST_PARTS members or frames."""


def is_plain(body: bytes) -> bool:
    """Whether bytes that should be compressed are text: the first PLAIN are printable, which those of compressed data
    are by chance once in 10^20 times. Text in other letters begins with markup."""
    begin = body[:PLAIN]
    return len(begin) == PLAIN and not set(begin) - PRINTABLE


class CompressionLimitsMiddleware:
    """Downloader middleware, before compression is undone; for pages, index files and robots.txt alike."""

    def process_response(self, request: Request, response: Response) -> Response:
        if response.headers.get("Content-Encoding"):
            if is_plain(response.body):  # the header is wrong, and browsers show the page
                headers = response.headers.copy()
                del headers["Content-Encoding"]
                return response.replace(headers=headers)
            for number, _ in enumerate(PARTS.finditer(response.body)):
                if number >= MOST_PARTS:
                    raise CompressedTooOften
        return response
