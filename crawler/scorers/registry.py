"""Link scorers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from crawler.errors import SettingError
from crawler.scorers.base import LinkScorer
from crawler.scorers.best import BestFirst, Parent, SharkSearch
from crawler.scorers.bfs import BreadthFirst, DepthLimited, Filtered
from crawler.scorers.context_graph import ContextGraph
from crawler.scorers.ipagerank import IPageRankRW, IPageRankRWB
from crawler.scorers.learned import Learned
from crawler.scorers.opic import Opic
from crawler.scorers.relevance import RelevanceRW, RelevanceRWB
from crawler.scorers.topology import BlockRank, Hits, PageRank, SiteRank

DEFAULT_SCORER = "learned"

# Each takes the seed of its random choices; a scorer without any ignores it.
SCORERS: Mapping[str, Callable[[int], LinkScorer]] = {
    "bfs": lambda seed: BreadthFirst(),
    "bfs-depth": lambda seed: DepthLimited(),
    "bfs-filter": lambda seed: Filtered(),
    "opic": lambda seed: Opic(),
    "pagerank": lambda seed: PageRank(),
    "hits": lambda seed: Hits(),
    "siterank": lambda seed: SiteRank(),
    "block-rank": lambda seed: BlockRank(),
    "context-graph": lambda seed: ContextGraph(),
    "parent": lambda seed: Parent(),
    "best-first": lambda seed: BestFirst(),
    "shark-search": lambda seed: SharkSearch(),
    "rw": lambda seed: RelevanceRW(),
    "rwb": lambda seed: RelevanceRWB(seed),
    "ipagerank-rw": lambda seed: IPageRankRW(),
    "ipagerank-rwb": lambda seed: IPageRankRWB(seed),
    "learned": lambda seed: Learned(),
}


def scorer(name: str, seed: int = 0) -> LinkScorer:
    """A new scorer that knows no page yet. Raises SettingError for an unknown name."""
    make = SCORERS.get(name)
    if make is None:
        raise SettingError(f"LINK_SCORER: there is no link scorer {name!r}; use one of {', '.join(SCORERS)}")
    return make(seed)
