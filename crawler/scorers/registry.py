"""Link scorers by name."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name

from crawler.errors import SettingError
from crawler.scorers.base import LinkScorer

# Module and class, imported when asked for: networkx and scipy.optimize take half a second each to import, and most
# commands need neither.
SCORERS: Mapping[str, str] = {
    "bfs": "simple:BreadthFirst",
    "bfs-depth": "simple:DepthLimited",
    "bfs-filter": "simple:Filtered",
    "opic": "simple:Opic",
    "pagerank": "papers.topology:PageRank",
    "hits": "papers.topology:Hits",
    "siterank": "papers.topology:SiteRank",
    "block-rank": "papers.topology:BlockRank",
    "context-graph": "papers.context_graph:ContextGraph",
    "parent": "simple:Parent",
    "best-first": "simple:BestFirst",
    "shark-search": "simple:SharkSearch",
    "rw": "papers.rw:ByRW",
    "rwb": "papers.rw:ByRWB",
    "ipagerank-rw": "papers.ipagerank:IPageRankRW",
    "ipagerank-rwb": "papers.ipagerank:IPageRankRWB",
    "learned": "learned.scorer:Learned",
    "ipagerank-learned": "learned.ipagerank:IPageRankLearned",
}
DRAWING = frozenset({"rwb", "ipagerank-rwb"})  # make random choices


def scorer(name: str, seed: int = 0) -> LinkScorer:
    """A new scorer that knows no page yet; `seed` is that of its random choices, where it makes any.

    A name with a dot is the import path of a subclass of LinkScorer. Raises SettingError for an unknown name."""
    if "." in name:
        return _imported(name)
    if name not in SCORERS:
        raise SettingError(f"LINK_SCORER: there is no link scorer {name!r}; use one of {', '.join(SCORERS)}")
    made = resolve_name(f"crawler.scorers.{SCORERS[name]}")
    scorer: LinkScorer = made(seed) if name in DRAWING else made()
    return scorer


def _imported(path: str) -> LinkScorer:
    try:
        made = resolve_name(path)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingError(f"LINK_SCORER={path} cannot be imported ({error}); give module.Class") from error
    if not (isinstance(made, type) and issubclass(made, LinkScorer)):
        raise SettingError(f"LINK_SCORER={path} is no subclass of crawler.scorers.base.LinkScorer")
    scorer: LinkScorer = made()
    scorer.name = path  # type: ignore[misc]  # by this name the harvest's log finds it again
    return scorer
