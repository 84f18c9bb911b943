"""The text of a PDF document, read in a process of its own: PDFium aborts its process where a document is too much.

`text_of` starts this file as a program. It takes the document from its input, and gives JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, cast

MOST_PAGES = 1000
MOST_CHARACTERS = 1_000_000
READ_SECONDS = 1.5  # of a processor, after a page of which no other is begun; what comes after is left out
MOST_SECONDS = 2  # of a processor for the whole document
MOST_MEMORY = 400  # megabytes of address space
WALL_TIMES = 15  # of MOST_SECONDS, on the clock: as the analysis of pages may take
PASSED = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")  # of the environment, in which may be passwords
PASSWORD, DAMAGED, NOT_INSTALLED = 3, 4, 5  # exit statuses


class Unreadable(Exception):
    """`status`: PASSWORD, DAMAGED, NOT_INSTALLED, or 0 where the document takes too much."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def text_of(content: bytes) -> tuple[str, list[str]]:
    """The title that the document gives, and the text of each page. At most MOST_PAGES pages and MOST_CHARACTERS.
    Raises Unreadable."""
    command = [sys.executable, "-P", __file__]
    environment = {name: os.environ[name] for name in PASSED if name in os.environ}
    try:
        done = subprocess.run(
            command, input=content, capture_output=True, env=environment, timeout=WALL_TIMES * MOST_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise Unreadable(0) from error
    if done.returncode:
        raise Unreadable(done.returncode if done.returncode in (PASSWORD, DAMAGED, NOT_INSTALLED) else 0)
    return cast("tuple[str, list[str]]", tuple(json.loads(done.stdout)))


def main() -> int:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY << 20, MOST_MEMORY << 20))
    content = sys.stdin.buffer.read()
    try:
        import pypdfium2
    except ImportError:
        return NOT_INSTALLED
    try:
        document = pypdfium2.PdfDocument(content)
        found = _title(document), list(_pages(document))
    except pypdfium2.PdfiumError as error:
        return PASSWORD if "password" in str(error).lower() else DAMAGED
    sys.stdout.write(json.dumps(found))
    return 0


def _title(document: Any) -> str:
    """ "" where it is not text: half of a surrogate pair."""
    try:
        return str(document.get_metadata_value("Title"))
    except UnicodeDecodeError:
        return ""


def _pages(document: Any) -> Iterator[str]:
    room = MOST_CHARACTERS
    for number in range(min(MOST_PAGES, len(document))):
        text = document[number].get_textpage().get_text_range()[:room]
        yield text
        room -= len(text)
        if room <= 0 or time.process_time() > READ_SECONDS:
            return


if __name__ == "__main__":
    sys.exit(main())
