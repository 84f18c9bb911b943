"""The words of this room: what an index file is, what is behind it, and how that becomes links.

An index file is one file in which a site lists its pages: a sitemap, a feed, or the index that its search box
downloads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from crawler.messages import N_
from crawler.reader.html.links import MAX_ANCHOR, is_noise
from crawler.reader.html.urls import host
from crawler.reasons import NONE, Reason
from crawler.records import Link

HOUR = 3600.0  # seconds


class Kind(StrEnum):
    """What an index file is."""

    SITEMAP = N_("sitemap")  # urlset, sitemap index, or a list of addresses, one a line
    FEED = N_("feed")  # Atom, RSS, JSON Feed
    SEARCH_INDEX = N_("search-index")  # what the search box of a static site reads: titles, mostly whole texts
    WORDPRESS = N_("wordpress")  # the posts of WordPress's REST interface
    OPENSEARCH = N_("opensearch")  # describes a site's search
    MORE = N_("more")  # what a list loads when its reader asks for more, or scrolls: JSON, or a piece of a page
    SEARCH = N_("search")  # what a site's own search answers to a word of the topic


class FoundBy(StrEnum):
    """How an index file came to be known."""

    ROBOTS = "robots.txt"
    PAGE = "page"  # a link element or a link of a page
    SCRIPT = "script"  # a page's script names it
    INDEX_FILE = "index file"  # another index file names it
    GUESS = "guess"  # a usual place: nobody said that it is there


@dataclass(frozen=True, slots=True)
class IndexFile:
    url: str  # canonical form, of any host: the caller decides which it enters
    kind: Kind  # as far as its name tells; Contents.kind is what it is
    found: FoundBy


@dataclass(frozen=True, slots=True)
class Entry:
    """What an index file says of one page. Times are seconds since the epoch, to about a day where no zone is given;
    times of the future are left out."""

    url: str  # canonical form, of any host
    title: str = ""
    text: str = ""  # content or else summary, without tags, at most entries.MAX_TEXT characters
    whole: bool = False  # `text` was cut from the page's whole text, not from a summary
    subjects: tuple[str, ...] = ()  # categories and tags, each once
    updated: float | None = None
    published: float | None = None
    priority: float | None = None  # of a sitemap, in [0, 1]


@dataclass(frozen=True, slots=True)
class Contents:
    """What was read of an index file."""

    kind: Kind | None = None  # what it is, by its content; None: no index file at all
    entries: tuple[Entry, ...] = ()  # each address once, in the index file's order
    index_files: tuple[IndexFile, ...] = ()  # further ones that it names: sitemaps of an index, the next page of a feed
    interval: float | None = None  # seconds in which a feed asks not to be read again (ttl, sy:updatePeriod)
    skip_hours: tuple[int, ...] = ()  # hours of the day, UTC, in which a feed asks not to be read
    reason: Reason = NONE  # why nothing, or not all of it, could be read

    def rests_until(self, now: float) -> float | None:
        """The time until which it asks not to be read again, seconds since the epoch; None where it does not."""
        until = now + min(self.interval or 0.0, 24 * HOUR)
        for _ in range(24):
            if int(until // HOUR) % 24 not in self.skip_hours:
                break
            until = (until // HOUR + 1.0) * HOUR
        return until if until > now else None


def as_link(entry: Entry, kind: Kind, position: float = 0.0) -> Link:
    """The entry as if a page had linked to its address, so that links and entries are judged alike.

    The title is the anchor, the text is the text around, subjects and the last known time come along. The kind of index
    file stands for the tag path: entries of one index file are siblings, as the links of one list are. `position`:
    place among the index file's entries, 0 first, 1 last.
    """
    return Link(
        url=entry.url,
        anchor=entry.title[:MAX_ANCHOR],
        around=entry.text,
        tag_path=kind,
        position=round(position, 4),
        noise=is_noise(entry.title),
        subjects=entry.subjects,
        updated=entry.updated or entry.published,
    )


_Addressed = TypeVar("_Addressed", Entry, IndexFile)


def at_own_host(contents: Contents, address: str) -> Contents:
    """The contents with what is on the host of the index file's `address` under the index file's scheme, and with all
    that is at one other host put at this host; not when some of it is here already, or at several hosts.

    Sites are moved, copied, or left with the host name of an example, and their index files go on naming the old one:
    of 27 recorded hosts with a sitemap 4. Whether to believe it is the caller's decision: a feed may well be served by
    another host than its pages. An index file that came without a redirect to https, or to http, says how its host
    answers, and each entry under the other scheme would cost a redirect and be another URL than the one that pages link
    to.
    """
    return replace(
        contents, entries=_moved(contents.entries, address), index_files=_moved(contents.index_files, address)
    )


def _moved(named: tuple[_Addressed, ...], address: str) -> tuple[_Addressed, ...]:
    home, site = host(address), "/".join(address.split("/", 3)[:3])
    hosts = {host(item.url) for item in named}
    here = hosts if len(hosts) == 1 else {home}
    return tuple(
        replace(item, url=f"{site}/{item.url.split('/', 3)[3]}") if host(item.url) in here else item for item in named
    )
