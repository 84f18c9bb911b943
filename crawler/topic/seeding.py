"""Seeds that are written into a topic file, whose comments and order stay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import tomlkit
from tomlkit.items import Array

from crawler.errors import TopicError
from crawler.messages import _

LAST_LINE = re.compile(r"\n\s*\]$")  # the closing bracket on a line of its own


def add_seeds(path: Path, urls: Sequence[str]) -> None:
    """Adds the URLs at the end of `seeds`. The file is whole at any time. Raises TopicError."""
    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8-sig"))
        if "seeds" not in document:
            document.add("seeds", tomlkit.array().multiline(True))
        seeds = document["seeds"]
        assert isinstance(seeds, Array)
        for url in urls:
            seeds.add_line(url)
        if not LAST_LINE.search(seeds.as_string()):
            seeds.add_line(indent="")
        partial = path.with_name(f".{path.name}.part")
        partial.write_text(tomlkit.dumps(document), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise TopicError(
            _("{path}: cannot write the topic file ({strerror}); make it writable", path=path, strerror=error.strerror)
        ) from error
