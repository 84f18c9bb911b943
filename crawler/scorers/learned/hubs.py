"""The worth of a page that is not harvest itself but opens much: its value as a hub."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crawler.discovery.index_files import Kind
from crawler.scorers.learned.examples import Examples, sums
from crawler.scorers.learned.features import FEATURES
from crawler.scorers.learned.group_means import Floats, GroupMeans, Rows
from crawler.scorers.learned.url_table import Column, Group, Table

CAP = 10.0  # of a page's hub value: one archive of a thousand links must not stand for all that look like it
MOST_SHOWN = 20.0  # posts on a page that count: more of them are read no sooner
RIDGE = 5.0  # pull of the regressions' weights to 0
PATTERN_STRENGTH = 2.0  # pages that the estimate for a page of its kind counts for in the mean of a host's URL pattern
PURPOSE_STRENGTH = 1.0  # pages that the regression counts for in the mean of a purpose
HOST_STRENGTH = 20.0  # posts that the mean of all hosts counts for in a host's own
NEW_STRENGTH = 5.0  # posts shown that "all are new" counts for in the share of a host, and the host's in a pattern's
NEW_MEMORY = 0.98  # what one post more leaves of the weight of those before: what is new becomes less
INDEX_FILE_CAP = 40.0  # of an index file's gain: it may list all posts of its host
# Expected of an index file before any was read: so much that declared index files are opened at once, for they cost no
# page of the budget. With 2, and less for the further index files of a host, crawls harvested less
# (lab/notes/link-scorers.md).
INDEX_FILE_GAIN = 20.0
INDEX_FILE_STRENGTH = 2.0  # index files that this counts for in the mean of a purpose
SERIES_STRENGTH = 5.0  # posts that this expectation counts for in what the pages of one list have opened
HOST_SHARE = 0.5  # of what a new post of the host gains in that behind a link, beside what such a link lets expect
WHOLE = frozenset(
    {Kind.SEARCH_INDEX, Kind.WORDPRESS}
)  # tell titles of all posts; a sitemap has none, a feed the newest
TAU_RANK = 100  # a link is a gain as far as it is better than the 100th best that waits,
TAU_FLOOR = 0.05  # and than this; with .2 nothing was a gain once all that waited was unlikely


class Hubs:
    """Learns from all fetched pages the gain of each: the sum of (p - tau)+ over the links that were new on it.

    It is a product of three: how many posts pages of its kind show on all hosts, the share of them that is new on its
    own host, and what a new post of that host, or behind such a link, gains. So a list is worth nothing where an index
    file has told all posts already, and much where none has, however little such lists brought elsewhere."""

    def __init__(self) -> None:
        self.tau = TAU_FLOOR
        self._weights: Floats = np.zeros((FEATURES, 2))  # of posts shown, and of the gain of a new one
        self._patterns = GroupMeans(PATTERN_STRENGTH)  # posts shown
        self._purposes = GroupMeans(PURPOSE_STRENGTH)  # likewise
        self._new_of_host = GroupMeans(NEW_STRENGTH, NEW_MEMORY)  # share of the posts shown that is new
        self._new_of_pattern = GroupMeans(NEW_STRENGTH, NEW_MEMORY)
        self._hosts = GroupMeans(HOST_STRENGTH)  # gain of a new post
        self._series = GroupMeans(SERIES_STRENGTH)  # gain of a new post on the pages of one list, by its first row
        self._index_files = GroupMeans(INDEX_FILE_STRENGTH)  # gain of index files by purpose
        self._forgotten: Floats = np.zeros(0)  # by host: chances to lead to a post, of links that have no row any more

    def saw(self, groups: Rows, post: float, shown: float, new: float) -> None:
        """A page with these groups, shape (len(Group),), showed so many posts, of which so many were new. `post`: its
        own likeness to one. Beside a post are the newest ones again and again, which do not say how many more the
        host has: that say its lists."""
        if shown > 0.0:
            weight = min(shown, MOST_SHOWN)
            self._new_of_host.add(int(groups[Group.HOST]), new / shown, (1.0 - post) ** 2 * weight)
            self._new_of_pattern.add(int(groups[Group.PATTERN]), new / shown, weight)

    def listed(self, kind: str, hosts: Rows) -> None:
        """An index file has listed URLs of these hosts. Where it lists all posts lists show no new ones."""
        if kind in WHOLE and len(hosts):
            self._new_of_host.add(int(np.bincount(hosts).argmax()), 0.0, MOST_SHOWN)

    def fit(self, examples: Examples, table: Table) -> None:
        """Learn from the example pages, and from all links of the table what links to a host are worth.

        A link that was fetched counts with what it turned out to be, any other with what is now expected of it: a list
        that was read while better links waited is worth more when these are gone."""
        number, first, end = len(table), examples.column("first"), examples.column("end")
        linked = table.linked[:number]
        better = np.where(linked, np.maximum(table.chance[:number] - self.tau, 0.0), 0.0).astype(np.float64)
        posts = np.where(linked, table.post[:number], 0.0).astype(np.float64)
        gains, opened = sums(better, first, end), sums(posts, first, end) + examples.column("forgotten")
        then = examples.column("shown") * (1.0 + opened) / (1.0 + examples.column("new"))  # as it is known now
        shown = np.minimum(then, MOST_SHOWN)
        features, pull = examples.column("features"), RIDGE * np.eye(FEATURES)
        of_shown = np.linalg.solve(features.T @ features + pull, features.T @ shown)
        of_gain = np.linalg.solve((features.T * opened) @ features + pull, features.T @ gains)
        self._weights = np.stack([of_shown, of_gain], axis=1)
        self._series.refill(table.firsts(examples.column("row")), gains, opened)
        groups = table.groups[examples.column("row")]
        once = np.ones(len(groups))
        self._patterns.refill(groups[:, Group.PATTERN], shown, once)
        self._purposes.refill(groups[:, Group.PURPOSE], shown, once)
        posts = np.where((table.values[:number, Column.ANCHOR] > 0.0) | table.done[:number], posts, 0.0)
        better = np.where(posts > 0.0, better, 0.0)
        hosts = np.concatenate([table.groups[:number, Group.HOST], np.arange(len(self._forgotten))])
        gained = np.concatenate([better, np.zeros(len(self._forgotten))])
        self._hosts.refill(hosts, gained, np.concatenate([posts, self._forgotten]))

    def forget(self, hosts: Rows, posts: Floats) -> None:
        """Links to these hosts are no longer in the table; they brought nothing. `posts`: their chances to lead to a
        post, shape (n,)."""
        size = max(int(hosts.max(initial=-1)) + 1, len(self._forgotten))
        self._forgotten = np.pad(self._forgotten, (0, size - len(self._forgotten))) + np.bincount(hosts, posts, size)

    def keep(self, numbers: Mapping[Group, Rows]) -> None:
        """Forget all groups but these, whose places there are their new numbers; lists until the next fit."""
        self._series = GroupMeans(SERIES_STRENGTH)
        for group, means in (
            (Group.PATTERN, self._patterns),
            (Group.PATTERN, self._new_of_pattern),
            (Group.PURPOSE, self._purposes),
            (Group.PURPOSE, self._index_files),
            (Group.HOST, self._hosts),
            (Group.HOST, self._new_of_host),
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

    def expected(self, features: Floats, groups: Rows, firsts: Rows) -> Floats:
        """The gain expected of each page, in [0, CAP], shape (n,). What the read pages of a list have opened tells what
        its next ones open.

        `features` has the shape (n, FEATURES); `groups`, as in the table, (n, len(Group)); `firsts`, the rows of the
        first pages of their lists, (n,)."""
        shown, gain = np.maximum(features @ self._weights, 0.0).T
        hosts, patterns = groups[:, Group.HOST], groups[:, Group.PATTERN]
        shown = self._purposes.means(groups[:, Group.PURPOSE], np.minimum(shown, MOST_SHOWN))
        shown = self._patterns.means(patterns, shown)
        new = self._new_of_host.means(hosts, 1.0)
        new = self._new_of_pattern.means(patterns, new)
        of_host = self._hosts.means(hosts, self._hosts.mean)
        gain = HOST_SHARE * of_host + (1.0 - HOST_SHARE) * np.minimum(gain, 1.0)
        gain = self._series.means(firsts, gain)
        expected: Floats = np.minimum(shown * new * gain, CAP)
        return expected
