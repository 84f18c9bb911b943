"""Link scorers by name."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name

from crawler.errors import SettingError
from crawler.scorers.base import LinkScorer

# Module and class; imported when asked for: networkx or scipy.optimize is half a second that most commands do not need.
SCORERS: Mapping[str, str] = {
    "bfs": "bfs:BreadthFirst",
    "bfs-depth": "bfs:DepthLimited",
    "bfs-filter": "bfs:Filtered",
    "opic": "opic:Opic",
    "pagerank": "papers.topology:PageRank",
    "hits": "papers.topology:Hits",
    "siterank": "papers.topology:SiteRank",
    "block-rank": "papers.topology:BlockRank",
    "context-graph": "papers.context_graph:ContextGraph",
    "parent": "best:Parent",
    "best-first": "best:BestFirst",
    "shark-search": "best:SharkSearch",
    "rw": "papers.relevance:RelevanceRW",
    "rwb": "papers.relevance:RelevanceRWB",
    "ipagerank-rw": "papers.ipagerank:IPageRankRW",
    "ipagerank-rwb": "papers.ipagerank:IPageRankRWB",
    "learned": "learned.scorer:Learned",
}
DRAWING = frozenset({"rwb", "ipagerank-rwb"})  # make random choices


def scorer(name: str, seed: int = 0) -> LinkScorer:
    """A new scorer that knows no page yet; `seed` is that of its random choices, where it makes any.

    Raises SettingError for an unknown name."""
    if name not in SCORERS:
        raise SettingError(f"LINK_SCORER: there is no link scorer {name!r}; use one of {', '.join(SCORERS)}")
    made = resolve_name(f"crawler.scorers.{SCORERS[name]}")
    scorer: LinkScorer = made(seed) if name in DRAWING else made()
    return scorer
