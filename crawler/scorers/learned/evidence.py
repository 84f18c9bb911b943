"""What speaks for a URL: gathered page by page, read as numbers for the models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawler.discovery.index_files import Kind
from crawler.reader.html.urls import host
from crawler.records import JudgedPage, Outlink
from crawler.scorers.discounts import Navigation, tunnelling_penalty
from crawler.scorers.learned.features import TOPIC_WEIGHTS
from crawler.scorers.learned.group_means import Floats, GroupMeans, Names
from crawler.scorers.learned.url_table import Column, Group, Mask, Rows, Table
from crawler.scorers.learned.words import NOTHING, first_pages, pattern, purpose, words

Groups = NDArray[np.intp]

TINY = 1e-9  # keeps 0 / 0 away
ARM_STRENGTH = 3.0  # pages that the mean of all groups counts for in a group's own

HOST_STRENGTH = 1.0  # pages that the mean of all hosts counts for in the mean nearness of a host's own
LASTING = frozenset({Group.HOST, Group.PATTERN, Group.PURPOSE})  # groups that URLs found later may belong to
DESCRIBED = (Group.HOST, Group.PATTERN, Group.PURPOSE)  # groups that one link decides
# Likewise columns.
OF_LINK = Column.POSITION, Column.SEGMENTS, Column.SLASH, Column.DIGITS, Column.OTHER_HOST, Column.LIST_SIZE
NO_DIGITS = str.maketrans("", "", "0123456789")  # addresses are in ASCII
FULLER = 2.0  # times as long as another text, such as "next", is the title that takes its place; own choice
SAID_STRENGTH = 20.0  # links, likewise in the mean relevance of the links to a host


class Evidence:
    """Fills the table with what the pages say of their links, and counts how the pages turned out, by groups."""

    def __init__(self) -> None:
        self.table = Table()
        self._navigation = Navigation()
        self._names = {group: Names() for group in Group}
        self._worths = {group: GroupMeans(ARM_STRENGTH) for group in Group}  # of posts: whether they are on the topic
        self._posts = {group: GroupMeans(ARM_STRENGTH) for group in Group}  # of pages: whether they are posts
        self._nearnesses = GroupMeans(HOST_STRENGTH)  # of a host's pages, lists too
        self._said = GroupMeans(SAID_STRENGTH)  # of the links to a host: relevance of their own words

    def row(self, url: str) -> int:
        """The row of a page that was fetched; a seed gets one of its own."""
        known = self.table.find(url)
        if known is not None:
            return known
        row = int(self.table.add([url])[0][0])
        self.table.groups[row, Group.HOST] = self._names[Group.HOST].id(host(url))
        self.table.groups[row, Group.PATTERN] = self._names[Group.PATTERN].id(pattern(url))
        self.table.groups[row, Group.PURPOSE] = self._names[Group.PURPOSE].id("")
        return row

    def record(self, row: int, page: JudgedPage, share: float, found: bool) -> None:
        """A page was fetched. `share`: how surely it is on the topic, in [0, 1]; `found`: a link led to it. A list
        does not say what a host's posts are about, so each page counts as far as it is a post."""
        for group in Group if found else (Group.HOST,):
            number = int(self.table.groups[row, group])
            self._worths[group].add(number, share, page.post)
            self._posts[group].add(number, page.post)
        self._nearnesses.add(int(self.table.groups[row, Group.HOST]), page.nearness)

    def move(self, row: int, url: str) -> bool:
        """The URL of the row leads to another one, which is worth what the row is; False when it has a row already."""
        if not self.table.move(row, url):
            return False
        self.table.groups[row, Group.HOST] = self._names[Group.HOST].id(host(url))
        self.table.groups[row, Group.PATTERN] = self._names[Group.PATTERN].id(pattern(url))
        return True

    def hear(self, rows: Rows, share: Floats) -> None:
        """Index files hold texts of these posts: they say what posts of the host and of the pattern are about, unread.
        `share`: how surely each is on the topic, in [0, 1], shape (n,)."""
        for row, near in zip(rows.tolist(), share.tolist(), strict=True):
            for group in (Group.HOST, Group.PATTERN):
                self._worths[group].add(int(self.table.groups[row, group]), near)

    def learn(self, page: JudgedPage, worth: float) -> tuple[Rows, Mask, Mask]:
        """Take in the page's links, but for those to itself; rows of their targets, which of these are navigation, and
        which are told for the first time: new, without a text before, or with one that was half as long at most."""
        repeated = self._navigation.observe(page)
        by_url = {o.link.url: o for o in page.outlinks if o.link.url != page.url}
        past = self.table.is_past(list(by_url))
        outlinks = [outlink for outlink, is_past in zip(by_url.values(), past, strict=True) if not is_past]
        urls = [outlink.link.url for outlink in outlinks]
        rows, new = self.table.add(urls)
        if not outlinks:
            return rows, new, new
        paths = [outlink.link.tag_path for outlink in outlinks]
        sizes = Counter(paths)
        self._number(rows, outlinks)
        lengths = np.array([len(outlink.link.anchor) for outlink in outlinks])
        told = new | (lengths > FULLER * self.table.values[rows, Column.ANCHOR])
        if len(places := np.flatnonzero(told)):
            chosen = places.tolist()
            self._describe(rows[places], [outlinks[n] for n in chosen], page, [sizes[paths[n]] for n in chosen])
        values = self.table.values
        home = host(page.url)
        series = self.first_of(self.row(page.url))
        places = np.flatnonzero(new | (values[rows, Column.PARENT_BEST] < worth))
        for group, place_of in ((Group.PATH, home), (Group.SIBLINGS, self.table.urls[series])):
            id_of = self._names[group].id
            self.table.groups[rows[places], group] = [id_of((place_of, paths[n])) for n in places.tolist()]
        self._add(rows, outlinks, page, worth)
        navigation = np.array([url in repeated for url in urls])
        values[rows, Column.REPEATED] += navigation
        self._raise(rows, Column.LIST, _list_means(outlinks, sizes))
        return rows, navigation, told

    def first_of(self, row: int) -> int:
        """The row of the first page of the thread or list that it belongs to: mostly its own."""
        return int(self.table.firsts(np.array([row]))[0])

    def _number(self, rows: Rows, outlinks: Sequence[Outlink]) -> None:
        """Note of which page each of these is a further one."""
        for row, outlink in zip(rows.tolist(), outlinks, strict=True):
            firsts = map(self.table.find, first_pages(outlink.link.url, outlink.link.anchor))
            found = next((first for first in firsts if first is not None), row)
            if found != row:
                self.table.first[row] = 1 + self.first_of(found)

    def further(self, rows: Rows) -> Floats:
        """The chance of each not to be a post of its own, but the further page of one, shape (n,)."""
        table, first = self.table, self.table.first[rows]
        chances: Floats = np.where(first > 0, table.post[first - 1], 0.0).astype(np.float64)
        return chances

    def _describe(self, rows: Rows, outlinks: Sequence[Outlink], page: JudgedPage, sizes: Sequence[int]) -> None:
        """Note what one link to each of these URLs decides: the first one, until one says more. `sizes`:
        links of the page with the same tag path. The table is written once: a value at a time took half as long
        again."""
        table, home = self.table, host(page.url)
        id_of_host, id_of_pattern, id_of_purpose = (self._names[group].id for group in DESCRIBED)
        groups, values = [], []
        for row, outlink, size in zip(rows.tolist(), outlinks, sizes, strict=True):
            link = outlink.link
            found, theirs = words(link), host(link.url)
            table.words[row] = NOTHING
            table.words[row, : len(found)] = found
            of_host = id_of_host(theirs)
            groups.append((of_host, id_of_pattern(pattern(link.url, link.index_kind)), id_of_purpose(purpose(link))))
            self._said.add(of_host, outlink.own_relevance)
            path = link.url.partition("//")[2].partition("/")[2]
            digits = (len(path) - len(path.translate(NO_DIGITS))) / max(len(path), 1)
            values.append((link.position, path.count("/"), path.endswith("/"), digits, theirs != home, size))
        table.index_kind[rows] = [bool(outlink.link.index_kind) for outlink in outlinks]
        table.linked[rows] = True
        table.groups[rows[:, None], DESCRIBED] = groups
        table.values[rows[:, None], OF_LINK] = values
        table.values[rows, Column.PARENT_POST] = page.post
        table.values[rows, Column.DEPTH] = page.depth + 1

    def _add(self, rows: Rows, outlinks: Sequence[Outlink], page: JudgedPage, worth: float) -> None:
        own = np.array([outlink.own_relevance for outlink in outlinks])
        values = self.table.values
        values[rows, Column.OWN_SUM] += own
        if page.index_kind:
            self._raise(rows, Column.SAID, [0.0 if o.nearness is None else 1.0 + o.nearness for o in outlinks])
            self._raise(rows, Column.LISTED, [page.index_kind != Kind.SITEMAP for _ in outlinks])
        else:
            values[rows, Column.PARENT_SUM] += worth
            values[rows, Column.LINKS] += 1
            self._raise(rows, Column.PARENT_BEST, worth)
            self._raise(rows, Column.PARENT_NEAR, page.nearness)
        self._raise(rows, Column.OWN_BEST, own)
        self._raise(rows, Column.ALL_BEST, [outlink.relevance for outlink in outlinks])
        self._raise(rows, Column.ANCHOR_BEST, [outlink.anchor_relevance for outlink in outlinks])
        self._raise(rows, Column.NOISE, [outlink.link.noise for outlink in outlinks])
        self._raise(rows, Column.TUNNEL, tunnelling_penalty(page))
        self._raise(rows, Column.ANCHOR, [len(outlink.link.anchor) for outlink in outlinks])

    def _raise(self, rows: Rows, column: Column, found: ArrayLike) -> None:
        """The best value of all links to a URL counts."""
        values = self.table.values
        values[rows, column] = np.maximum(values[rows, column], found)

    def keep(self, stay: Mask) -> tuple[Rows, dict[Group, Rows]]:
        """Forget all other rows of the table, and the groups that are left without a row and a fetched page.

        Returns each row's new number, as the table does, and the old numbers of the groups that stay."""
        new, numbers = self.table.keep(stay), {}
        for group, names in self._names.items():
            column = self.table.groups[: len(self.table), group]
            kept = np.zeros(max(1, len(names)), dtype=np.bool_)
            kept[column] = True
            if group in LASTING:
                kept |= self._posts[group].counts(np.arange(len(kept))) > 0.0
            column[:] = (np.cumsum(kept) - 1)[column]
            numbers[group] = np.flatnonzero(kept)
            names.keep(numbers[group])
            self._worths[group].keep(numbers[group])
            self._posts[group].keep(numbers[group])
        self._nearnesses.keep(numbers[Group.HOST])
        self._said.keep(numbers[Group.HOST])
        return new, numbers

    def groups(self, rows: Rows) -> Groups:
        """Returns the groups of these rows, shape (n, len(Group)), in Fortran order: each group's column is used as an
        index some thirty times."""
        return np.ascontiguousarray(self.table.groups[rows].T, dtype=np.intp).T

    def features(self, rows: Rows, groups: Groups) -> Floats:
        """Shape (rows, FEATURES), in the order of `features.TOPIC_WEIGHTS`. `groups`: those of the rows."""
        v = self.table.values[rows].astype(np.float64)
        hosts = groups[:, Group.HOST]
        worths, posts = self._worths, self._posts
        links = np.maximum(v[:, Column.LINKS], 1.0)
        own, parent = np.sqrt(v[:, Column.OWN_BEST]), v[:, Column.PARENT_BEST]
        said = v[:, Column.SAID] - 1.0
        columns = {
            "bias": np.ones(len(v)),
            "own words": own,
            "own words, mean over parents": np.sqrt(v[:, Column.OWN_SUM] / links),
            "all words": np.sqrt(v[:, Column.ALL_BEST]),
            "anchor": np.sqrt(v[:, Column.ANCHOR_BEST]),
            "best parent": parent,
            "parents' mean": v[:, Column.PARENT_SUM] / links,
            "nearest parent's nearness": v[:, Column.PARENT_NEAR],
            "words of the list": np.sqrt(v[:, Column.LIST]),
            **_by_groups(worths, groups, "record"),
            "host's nearness": _compared(self._nearnesses, hosts),
            "words of the host's links": _compared(self._said, hosts),
            **_by_groups(posts, groups, "posts"),
            "purpose's posts": posts[Group.PURPOSE].means(groups[:, Group.PURPOSE], posts[Group.PURPOSE].mean),
            "in-links": np.log(links) / 3,
            "share as navigation": v[:, Column.REPEATED] / links,
            "noise": v[:, Column.NOISE],
            "position": v[:, Column.POSITION],
            "depth": np.minimum(v[:, Column.DEPTH], 8) / 8,
            "distance penalty": v[:, Column.TUNNEL],
            "anchor's length": np.log1p(v[:, Column.ANCHOR]) / 4,
            "segments": np.minimum(v[:, Column.SEGMENTS], 6) / 6,
            "ends with a slash": v[:, Column.SLASH],
            "digits": v[:, Column.DIGITS],
            "on another host": v[:, Column.OTHER_HOST],
            "list's length": np.log1p(v[:, Column.LIST_SIZE]) / 5,
            "parent's likeness to a post": v[:, Column.PARENT_POST],
            "pages known of the host": np.log1p(worths[Group.HOST].counts(hosts)) / 5,
            "pages known of the URL pattern": np.log1p(worths[Group.PATTERN].counts(groups[:, Group.PATTERN])) / 5,
            "pages known of the sibling links": np.log1p(worths[Group.SIBLINGS].counts(groups[:, Group.SIBLINGS])) / 5,
            "own words x parent": own * parent,
            "index file has text": said >= 0.0,
            "nearness of the index file's text": np.sqrt(np.maximum(said, 0.0)),
            "listed in an index file": v[:, Column.LISTED],
            "importance": np.sqrt(np.minimum(v[:, Column.HANDED], 1.0)),
        }
        return np.stack([columns[name] for name in TOPIC_WEIGHTS], axis=1)

    def pages(self, groups: Groups) -> Floats:
        """How many pages of each URL's host were fetched, shape (n,). `groups`: as in the table, (n, len(Group))."""
        return self._posts[Group.HOST].counts(groups[:, Group.HOST])


def _by_groups(arms: Mapping[Group, GroupMeans], groups: Groups, what: str) -> dict[str, Floats]:
    """Means by host, URL pattern, tag path and siblings, each drawn to that of the larger group."""
    of_host = arms[Group.HOST].means(groups[:, Group.HOST], arms[Group.HOST].mean)
    of_pattern = arms[Group.PATTERN].means(groups[:, Group.PATTERN], of_host)
    of_path = arms[Group.PATH].means(groups[:, Group.PATH], of_host)
    of_siblings = arms[Group.SIBLINGS].means(groups[:, Group.SIBLINGS], (of_pattern + of_path) / 2)
    means = {"host's": of_host, "pattern's": of_pattern, "tag path's": of_path, "siblings'": of_siblings}
    return {f"{whose} {what}": values for whose, values in means.items()}


def _compared(arms: GroupMeans, groups: Groups) -> Floats:
    """Compares each group's mean with the mean of all, whatever the scale: in (-.5, .5), 0 when they are equal."""
    means = arms.means(groups, arms.mean)
    result: Floats = means / (means + arms.mean + TINY) - 0.5
    return result


def _list_means(outlinks: Sequence[Outlink], sizes: Counter[str]) -> list[float]:
    """The mean own relevance of the page's links of the same tag path, for each link."""
    sums: dict[str, float] = {}
    for outlink in outlinks:
        path = outlink.link.tag_path
        sums[path] = sums.get(path, 0.0) + outlink.own_relevance
    return [sums[outlink.link.tag_path] / sizes[outlink.link.tag_path] for outlink in outlinks]
