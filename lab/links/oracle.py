"""The scorer that knows the labels: it shows how good a crawl could be. No crawl can use it: it is in no registry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from crawler.records import JudgedPage
from crawler.scorers.base import LinkScorer

POST_SCORE = 1e4  # of an on-topic post: above any number of posts that a page opens, below a seed's score

FindPost = Callable[[str], str | None]  # address -> the on-topic post behind it, the same name for all its addresses
FindTargets = Callable[[str], Sequence[str]]  # address -> the addresses that its page links to


class Oracle(LinkScorer):
    """Greedy: on-topic posts come first, then the page that links to most posts that no fetched page links to."""

    name = "oracle"

    def __init__(self, post: FindPost, targets: FindTargets) -> None:
        self._post = post
        self._targets = targets
        self._known: set[str] = set()  # posts that are fetched or that a fetched page links to
        self._opens: dict[str, set[str]] = {}  # address -> the unknown posts its page links to
        self._openers: defaultdict[str, set[str]] = defaultdict(set)  # the other way round
        self._collected: set[str] = set()

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        own = self._post(page.url)
        if own is not None:
            self._known.add(own)
            self._collected.add(own)
        urls = [outlink.link.url for outlink in page.outlinks]
        posts = {url: post for url in urls if (post := self._post(url)) is not None}
        changed = set(urls)
        for post in set(posts.values()) - self._known:
            self._known.add(post)
            for opener in self._openers.pop(post, ()):
                self._opens[opener].discard(post)
                changed.add(opener)
        changed.discard(page.url)
        return {url: self._score(url, posts.get(url)) for url in changed}

    def _score(self, url: str, post: str | None) -> float:
        if post is not None and post not in self._collected:
            return POST_SCORE
        if url not in self._opens:
            found = {one for target in self._targets(url) if (one := self._post(target)) is not None} - self._known
            self._opens[url] = found
            for one in found:
                self._openers[one].add(url)
        return float(len(self._opens[url]))
