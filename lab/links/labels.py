"""What a labels file says about the pages of a recorded web. It is only counted with; no crawl sees it.

The file has one JSON object per page and line: {"url": ..., "kind": "post", "topics": ["algo", ...]}. Other keys are
ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from crawler.errors import SettingError
from crawler.reader.html.urls import canonical
from lab.errors import ReplayError

POST = "post"  # the only kind that counts as harvest
INDEX = "index.html"
ENDING = ".html"


@dataclass(frozen=True, slots=True)
class Label:
    """What is known about one page."""

    url: str  # canonical form of the labelled address
    kind: str
    topics: frozenset[str]  # names as in topics/

    def is_harvest(self, topic: str) -> bool:
        return self.kind == POST and topic in self.topics


class Labels:
    """All labels of a web, by address."""

    def __init__(self, labels: Mapping[str, Label]) -> None:
        self._labels = labels

    def __iter__(self) -> Iterator[Label]:
        return iter(self._labels.values())

    @classmethod
    def load(cls, path: Path, names: Mapping[str, str]) -> Self:
        """Reads a labels file. `names` maps a topic's name in the file to its name in topics/, where they differ.

        Raises ReplayError when the file cannot be read or a line is not a label."""
        found: dict[str, Label] = {}
        try:
            with path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if not line.strip():
                        continue
                    label = _label(line, names, f"{path}, line {number}")
                    found[label.url] = label
        except OSError as error:
            raise ReplayError(f"{path}: cannot be read ({error.strerror}); name a labels file") from error
        except UnicodeDecodeError as error:
            raise ReplayError(f"{path}: is not UTF-8 text; name an unpacked labels file") from error
        return cls(found)

    def of(self, url: str) -> Label | None:
        """The label of the page at `url`, also when it was fetched without `.html` or with `index.html`."""
        return (
            self._labels.get(url)
            or self._labels.get(url + ENDING)
            or (self._labels.get(url.removesuffix(INDEX)) if url.endswith(INDEX) else None)
        )

    def harvest(self, topic: str) -> int:
        """How many pages of the whole web are on the topic."""
        return sum(label.is_harvest(topic) for label in self)


def _label(line: str, names: Mapping[str, str], place: str) -> Label:
    try:
        row = json.loads(line)
        url, kind, topics = row["url"], row["kind"], row["topics"]
        address = canonical(url)
        if address is None:
            raise ValueError(f"{url!r} is not an http(s) address")
        return Label(address, str(kind), frozenset(names.get(topic, topic) for topic in topics))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ReplayError(f"{place}: is not a label ({error}); each line needs url, kind and topics as JSON") from error


def pairs(texts: Sequence[str]) -> Mapping[str, str]:
    """LABEL=TOPIC texts as a mapping. Raises SettingError for a text that is not a pair."""
    names = {}
    for text in texts:
        theirs, _, ours = text.partition("=")
        if not (theirs and ours):
            raise SettingError(f"--map: {text!r} is not a pair; write NAME_IN_LABELS=NAME_IN_TOPICS")
        names[theirs] = ours
    return names
