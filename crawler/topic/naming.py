"""The name of a topic that is learned from seeds: its strongest words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crawler.bundled import TOPICS
from crawler.topic.files import Topic
from crawler.topic.vector import digest_of, read_vector

WORDS = range(3, 6)  # of a name: three, or more where other topics share them
LONGEST = 30  # bytes of a word in a name: a file name has room for 255
LEARNED = ".learned.json"

_WORD = re.compile(r"[^\W\d_]\w+")  # safe in file names and as a key of TOML, once it is quoted


def known_name(
    seeds: Sequence[str], directory: Path, keywords: Mapping[str, float] | None = None, texts: Sequence[str] = ()
) -> str:
    """The name under which a topic was learned from these seeds and words, or from the texts alone, before; "" if none
    was."""
    digest = digest_of(keywords or {}, texts, () if texts else seeds)
    for path in sorted(directory.glob(f"*{LEARNED}")):
        name = path.name.removesuffix(LEARNED)
        if not _is_file(name, directory) and read_vector(path, digest) is not None:
            return name
    return ""


def named(topic: Topic) -> Topic:
    """The learned topic under the name of its strongest words that no other topic has. Where there are none it keeps
    its provisional name."""
    assert topic.vector is not None
    strongest = topic.vector.heaviest(len(topic.vector.weights))
    words = [word for word in strongest if _WORD.fullmatch(word) and len(word.encode()) <= LONGEST]
    for count in WORDS if words else ():
        name = "-".join(words[:count])
        found = replace(topic, name=name, path=topic.path.with_name(f"{name}.toml"), provisional=False)
        if not _is_file(name, topic.path.parent) and _is_free(found):
            return found
    return replace(topic, provisional=False)


def _is_file(name: str, directory: Path) -> bool:
    return any((folder / f"{name}.toml").is_file() for folder in (directory, TOPICS))


def _is_free(topic: Topic) -> bool:
    """Whether nothing was learned under this name, or the same: another worker of the crawl is as far as this one."""
    return read_vector(topic.learned_path) in (None, read_vector(topic.learned_path, topic.digest))
