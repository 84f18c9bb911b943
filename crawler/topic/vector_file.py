"""The vector that was learned of a topic, kept as JSON beside the topic's file."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from secrets import token_hex

from crawler.errors import TopicError
from crawler.topic.vector import TopicVector

# Part of every digest: raise it when learning changes, and everything is learned again.
LEARN_VERSION = 4

_log = logging.getLogger(__name__)


def digest_of(keywords: Mapping[str, float], texts: Sequence[str], pages: Sequence[str]) -> str:
    """SHA-256 (hex) of what a vector is learned from: keywords, texts, and pages, those on disk by content.

    Pages given by URL count by their address only: a page that changes on the Web does not change the topic of a
    running crawl; delete the learned file to learn it again. Raises TopicError for a page that cannot be read.
    """
    contents = [page if "://" in page else _content(page) for page in pages]
    source = [LEARN_VERSION, sorted(keywords.items()), list(texts), contents]
    return hashlib.sha256(json.dumps(source, ensure_ascii=False).encode()).hexdigest()


def _content(page: str) -> str:
    try:
        return hashlib.sha256(Path(page).read_bytes()).hexdigest()
    except OSError as error:
        raise TopicError(f"{page}: cannot read this describing page ({error.strerror}); make it readable") from error


def write_vector(path: Path, name: str, digest: str, vector: TopicVector) -> None:
    """Write the vector, strongest terms first. Raises TopicError when `path` cannot be written."""
    ranked = sorted(vector.weights.items(), key=lambda item: (-item[1], item[0]))
    record = {"topic": name, "digest": digest, "unit": vector.unit, "terms": dict(ranked)}
    text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
    partial = path.with_suffix(f".{token_hex(8)}.partial")  # its own: workers of one crawl learn at the same time
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)  # atomic: whoever reads at the same time sees the old file or the new one
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise TopicError(
            f"{path}: cannot keep what was learned of topic '{name}' ({error.strerror}); make its directory writable"
        ) from error


def read_vector(path: Path, digest: str) -> TopicVector | None:
    """The vector kept at `path`; None when there is none, when it was learned from something else, or is damaged.

    Nothing is lost by None: the topic is learned again.
    """
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["digest"] != digest:
            return None
        weights = {str(term): float(weight) for term, weight in record["terms"].items()}
        unit = float(record["unit"])
        if not 0 < unit <= 1 or not weights or not all(0 < weight < inf for weight in weights.values()):
            raise ValueError("unit or weights are out of range")
        return TopicVector(weights, unit)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        _log.warning("%s cannot be read (%s: %s); the topic is learned again", path, type(error).__name__, error)
        return None
