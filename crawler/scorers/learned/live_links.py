"""The chance that a link leads to a page at all: links of one kind on one host die together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crawler.scorers.learned.group_means import Floats, GroupMeans, Rows
from crawler.scorers.learned.url_table import Group

EXPECTED = 0.95  # share of links that lead to a page, where nothing is known and on a host that has answered
EXPECTED_STRENGTH = 10.0  # fetches that it counts for in the share of all hosts
HOST_STRENGTH = 3.0  # fetches that the share of all hosts counts for in that of a host
PATTERN_STRENGTH = 1.0  # fetches that its host's share counts for in that of a URL pattern


class LiveLinks:
    """Counts how many of the fetched links led to a page, by host and by URL pattern."""

    def __init__(self) -> None:
        self._hosts = GroupMeans(HOST_STRENGTH)
        self._patterns = GroupMeans(PATTERN_STRENGTH)

    def add(self, groups: Rows, alive: bool) -> None:
        """A link was fetched. `groups`: its row of the table's column, shape (len(Group),)."""
        self._hosts.add(int(groups[Group.HOST]), alive)
        self._patterns.add(int(groups[Group.PATTERN]), alive)

    def keep(self, numbers: Mapping[Group, Rows]) -> None:
        """Forget all groups but these, whose places there are their new numbers."""
        self._hosts.keep(numbers[Group.HOST])
        self._patterns.keep(numbers[Group.PATTERN])

    def chances(self, groups: Rows) -> Floats:
        """The chance of each link, in [0, 1], shape (n,). `groups`: rows of the table's column, (n, len(Group))."""
        hosts = groups[:, Group.HOST]
        of_all = (self._hosts.total + EXPECTED_STRENGTH * EXPECTED) / (self._hosts.number + EXPECTED_STRENGTH)
        # A host that answers is alive, however many links of one kind are dead there: its other kinds may not be.
        answers = self._hosts.means(hosts, 0.0) > 0.0
        of_host = np.where(answers, EXPECTED, self._hosts.means(hosts, of_all))
        return self._patterns.means(groups[:, Group.PATTERN], of_host)
