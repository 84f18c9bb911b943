"""What really happened in the recorded year, by its labels: which posts are new, and when texts have changed.

No policy but the oracle sees it: it is only counted with.
"""

from __future__ import annotations

import io
import json
from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import zstandard

from crawler.reader.html.urls import canonical
from lab.links.labels import ENDING, INDEX

LABELS = "labels.jsonl.zst"


@dataclass(frozen=True, slots=True)
class NewPost:
    url: str  # canonical
    host: str
    day: float  # of its publication
    topics: frozenset[str]  # names as in topics/


class Move(NamedTuple):
    """A page that got another address of its host; the addresses are those of the labels."""

    old: str
    new: str
    day: float


class Truth:
    def __init__(self, folder: Path, names: Mapping[str, str], hosts: Container[str]) -> None:
        """`names`: topics of the labels that have another name in topics/; `hosts`: whose posts count."""
        self.posts: dict[str, NewPost] = {}
        self._texts: dict[str, Sequence[float]] = {}
        self.moves: list[Move] = []  # in the order of their days
        with (folder / LABELS).open("rb") as packed:
            for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8"):
                row = json.loads(line)
                url = canonical(row["url"])
                if url is None:
                    continue
                self._texts[url] = row["changes_text"]
                if row.get("moved_from") and (old := canonical(f"http://{row['host']}/{row['moved_from']}")):
                    self.moves.append(Move(old.removesuffix(INDEX), url, row["first_day"]))
                if (
                    row["host"] in hosts
                    and row["is_post"]
                    and not (row["initial"] or row.get("moved_from") or row["refresh"])
                ):
                    topics = frozenset(names.get(topic, topic) for topic in row["topics"])
                    self.posts[url] = NewPost(url, row["host"], row["first_day"], topics)
        self.moves.sort(key=lambda move: move.day)

    def of_topic(self, topic: str) -> dict[str, NewPost]:
        return {url: post for url, post in self.posts.items() if topic in post.topics}

    def label(self, url: str) -> str:
        """The address by which the labels know the page at `url`."""
        for name in (url, url + ENDING, url.removesuffix(INDEX)):
            if name in self._texts:
                return name
        return url

    def has_changed(self, url: str, since: float, until: float) -> bool:
        """Whether the text at this address of the labels changed in between, by more than its template."""
        return since < self.next_change(url, since) <= until

    def next_change(self, url: str, day: float) -> float:
        """When the text at this address of the labels changes next, or is taken away; infinite for never."""
        changes = self._texts.get(url, ())
        place = bisect_right(changes, day)
        return changes[place] if place < len(changes) else float("inf")
