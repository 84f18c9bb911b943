"""A dictionary with a bound: what was written last stays."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")
MOST_ENTRIES = 20_000  # entries, where nothing else is said: of hosts, some 5 MB


class BoundedDict(OrderedDict[K, V]):
    """A dict of at most `most` entries. A new entry, or a new value of one, makes it the last; the first one goes when
    there are too many. A crawl keeps in one what it remembers of each host, and can do without what was forgotten."""

    def __init__(self, most: int = MOST_ENTRIES) -> None:
        super().__init__()
        self._most = most

    def made(self, key: K, make: Callable[[], V]) -> V:
        """The value of the key, made where there is none; it becomes the last one."""
        value = self[key] = self[key] if key in self else make()
        return value

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
