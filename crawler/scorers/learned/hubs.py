"""The worth of a page that is no harvest itself but opens much: its value as a hub."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crawler.scorers.learned.examples import Examples, sums
from crawler.scorers.learned.features import FEATURES
from crawler.scorers.learned.group_means import Floats, GroupMeans, Rows
from crawler.scorers.learned.url_table import Group, Table

CAP = 10.0  # of a page's hub value: one archive of a thousand links must not stand for all that look like it
MOST_OPENED = 20.0  # new links of a page that count, each by its chance to lead to one: more of them are read no sooner
RIDGE = 5.0  # pull of the regressions' weights to 0
PATTERN_STRENGTH = 2.0  # pages that the estimate for a page of its kind counts for in the mean of a host's URL pattern
PURPOSE_STRENGTH = 1.0  # pages that the regression counts for in the mean of a purpose
HOST_STRENGTH = 20.0  # links that the mean of all hosts counts for in a host's own
INDEX_FILE_CAP = 40.0  # of an index file's gain: it may list all posts of its host
# Expected of an index file before any was read: so much that declared index files are opened at once, for they cost no
# page of the budget. With 2, and less for the further index files of a host, crawls harvested less
# (lab/notes/link-scorers.md).
INDEX_FILE_GAIN = 20.0
INDEX_FILE_STRENGTH = 2.0  # index files that this counts for in the mean of a purpose
HOST_SHARE = 0.5  # of the estimate by the host's links in that for a page of its kind; 1 found less at 1,000 pages
TAU_RANK = 100  # a link is a gain as far as it is better than the 100th best that waits,
TAU_FLOOR = 0.05  # and than this; with .2 nothing was a gain once all that waited was unlikely


class Hubs:
    """Learns from all fetched pages the gain of each: the sum of (p - tau)+ over the links that were new on it.

    Two estimates are mixed: what pages of the kind gained on all hosts, and how many links they opened there times
    what a new link of this host gains. By the second one the next page of a good host's archive is worth much although
    such pages are worth nothing on most hosts."""

    def __init__(self) -> None:
        self.tau = TAU_FLOOR
        self._weights: Floats = np.zeros((FEATURES, 2))  # of gain and of links opened
        self._patterns = GroupMeans(PATTERN_STRENGTH)
        self._gained = GroupMeans(PURPOSE_STRENGTH)  # by purpose
        self._opened = GroupMeans(PURPOSE_STRENGTH)
        self._hosts = GroupMeans(HOST_STRENGTH)  # gain of a new link
        self._index_files = GroupMeans(INDEX_FILE_STRENGTH)  # gain of index files by purpose
        self._forgotten: Floats = np.zeros(0)  # by host: chances to lead to a page, of links that have no row any more

    def fit(self, examples: Examples, table: Table) -> None:
        """Learn from the example pages, and from all links of the table what links to a host are worth.

        A link that was fetched counts with what it turned out to be, any other with what is now expected of it: a list
        that was read while better links waited is worth more when these are gone."""
        number, first, end = len(table), examples.column("first"), examples.column("end")
        linked = table.linked[:number]
        better = np.where(linked, np.maximum(table.chance[:number] - self.tau, 0.0), 0.0).astype(np.float64)
        alive = np.where(linked, table.alive[:number], 0.0).astype(np.float64)
        gains = np.minimum(sums(better, first, end), CAP)
        opened = np.minimum(sums(alive, first, end) + examples.column("forgotten"), MOST_OPENED)
        features = examples.column("features")
        matrix = features.T @ features + RIDGE * np.eye(FEATURES)
        targets = features.T @ np.stack([gains, opened], axis=1)
        self._weights = np.asarray(np.linalg.solve(matrix, targets), dtype=np.float64)
        groups = table.groups[examples.column("row")]
        once = np.ones(len(groups))
        self._patterns.refill(groups[:, Group.PATTERN], gains, once)
        self._gained.refill(groups[:, Group.PURPOSE], gains, once)
        self._opened.refill(groups[:, Group.PURPOSE], opened, once)
        hosts = np.concatenate([table.groups[:number, Group.HOST], np.arange(len(self._forgotten))])
        gained = np.concatenate([better, np.zeros(len(self._forgotten))])
        self._hosts.refill(hosts, gained, np.concatenate([alive, self._forgotten]))

    def forget(self, hosts: Rows, alive: Floats) -> None:
        """Links to these hosts are no longer in the table; they were no gain. `alive`: their chances to lead to a page,
        shape (n,)."""
        size = max(int(hosts.max(initial=-1)) + 1, len(self._forgotten))
        self._forgotten = np.pad(self._forgotten, (0, size - len(self._forgotten))) + np.bincount(hosts, alive, size)

    def keep(self, numbers: Mapping[Group, Rows]) -> None:
        """Forget all groups but these, whose places there are their new numbers."""
        for group, means in (
            (Group.PATTERN, self._patterns),
            (Group.PURPOSE, self._gained),
            (Group.PURPOSE, self._opened),
            (Group.PURPOSE, self._index_files),
            (Group.HOST, self._hosts),
        ):
            means.keep(numbers[group])
        hosts = numbers[Group.HOST]
        self._forgotten = self._forgotten[hosts[hosts < len(self._forgotten)]]

    def opened(self, groups: Rows, chances: Floats) -> None:
        """An index file with these groups, shape (len(Group),), listed new URLs with these chances, shape (n,)."""
        gain = min(INDEX_FILE_CAP, float(np.maximum(chances - self.tau, 0.0).sum()))
        self._index_files.add(int(groups[Group.PURPOSE]), gain)

    def behind(self, groups: Rows) -> Floats:
        """The gain expected of index files, in [0, INDEX_FILE_CAP], shape (n,): the mean over all hosts of index files
        of the same kind that were found in the same way. `groups`: as in the table, (n, len(Group))."""
        return self._index_files.means(groups[:, Group.PURPOSE], INDEX_FILE_GAIN)

    def lift(self, chances: Floats) -> None:
        """Set tau by the chances of the best links that wait, shape (n,)."""
        rank = min(TAU_RANK, len(chances))
        best = float(np.partition(chances, -rank)[-rank]) if rank else 0.0
        self.tau = max(TAU_FLOOR, best)

    def expected(self, features: Floats, groups: Rows) -> Floats:
        """The gain expected of each page, in [0, CAP], shape (n,).

        `features` has the shape (n, FEATURES); `groups`, as in the table, (n, len(Group))."""
        gain, opened = np.maximum(features @ self._weights, 0.0).T
        purposes = groups[:, Group.PURPOSE]
        gain = self._gained.means(purposes, gain)
        opened = self._opened.means(purposes, np.minimum(opened, MOST_OPENED))
        of_host = opened * self._hosts.means(groups[:, Group.HOST], self._hosts.mean)
        of_kind = HOST_SHARE * of_host + (1.0 - HOST_SHARE) * gain
        return np.minimum(self._patterns.means(groups[:, Group.PATTERN], of_kind), CAP)
