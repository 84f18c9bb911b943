"""Labelled pages by site: so many of each for training, and never one site on both sides of a split."""

from __future__ import annotations

import random
from collections.abc import Sequence

from lab.extraction.labelled import LabelledPage

# Parts of a host name that say nothing of whose it is.
SHARED_NAMES = frozenset(["com", "cn", "net", "org", "edu", "gov", "co", "www", "tw", "hk", "uk", "info", "cc"])


def owner(site: str) -> str:
    """The name by which a site's owner is known: "example" for news.example.com.cn."""
    names = [name for name in site.lower().split(".") if name not in SHARED_NAMES]
    return names[-1] if names else site.lower()


def capped(pages: Sequence[LabelledPage], per_site: int, seed: int) -> list[LabelledPage]:
    """At most `per_site` pages of each owner, drawn by chance."""
    shuffled = list(pages)
    random.Random(seed).shuffle(shuffled)
    counts: dict[str, int] = {}
    kept = []
    for page in shuffled:
        name = owner(page.site)
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= per_site:
            kept.append(page)
    return kept


def parts(pages: Sequence[LabelledPage], count: int, seed: int) -> list[list[LabelledPage]]:
    """The pages in `count` parts of about equal size; all pages of an owner in one part."""
    owners: dict[str, list[LabelledPage]] = {}
    for page in pages:
        owners.setdefault(owner(page.site), []).append(page)
    names = sorted(owners)
    random.Random(seed).shuffle(names)
    parts: list[list[LabelledPage]] = [[] for _ in range(count)]
    for name in sorted(names, key=lambda name: -len(owners[name])):
        min(parts, key=len).extend(owners[name])
    return parts
