"""Link scorers by name."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name

from crawler.errors import SettingError
from crawler.messages import _
from crawler.plugins import offered, plugin
from crawler.scorers.base import LinkScorer
from crawler.scorers.traps import TrapAware

# Module and class, imported when asked for: networkx takes half a second to import, and most commands do not need it.
SCORERS: Mapping[str, str] = {
    "bfs": "simple:BreadthFirst",
    "bfs-depth": "simple:DepthLimited",
    "bfs-filter": "simple:Filtered",
    "pagerank": "papers.topology:PageRank",
    "hits": "papers.topology:Hits",
    "siterank": "papers.topology:SiteRank",
    "block-rank": "papers.topology:BlockRank",
    "block-hits": "papers.topology:BlockHits",
    "context-graph": "papers.context_graph:ContextGraph",
    "parent": "simple:Parent",
    "best-first": "simple:BestFirst",
    "rw": "papers.rw:ByRW",
    "rwb": "papers.rw:ByRWB",
    "ipagerank-rw": "papers.ipagerank:IPageRankRW",
    "ipagerank-rwb": "papers.ipagerank:IPageRankRWB",
    "learned": "learned.scorer:Learned",
    "ipagerank-learned": "learned.ipagerank:IPageRankLearned",
}
ALIASES = {"ipagerank": "ipagerank-rw"}
GROUP = "zhuti.scorers"
DRAWING = frozenset({"rwb", "ipagerank-rwb"})  # make random choices


def scorer(name: str, seed: int = 0) -> LinkScorer:
    """A new scorer that knows no page yet; `seed` is that of its random choices, where it makes any.

    Beside SCORERS a name may be the import path of a subclass of LinkScorer, or one of the entry points of GROUP.
    Raises SettingError for an unknown name."""
    name = ALIASES.get(name, name)
    if name in SCORERS:
        made = resolve_name(f"crawler.scorers.{SCORERS[name]}")
        scorer: LinkScorer = made(seed) if name in DRAWING else made()
        return scorer
    own = plugin("LINK_SCORER", name, GROUP)
    if own is None:
        known = ", ".join([*SCORERS, *offered(GROUP)])
        raise SettingError(_("LINK_SCORER: unknown link scorer {name!r}; use one of {known}", name=name, known=known))
    if not (isinstance(own, type) and issubclass(own, LinkScorer)):
        raise SettingError(_("LINK_SCORER={name} is not a subclass of zhuti.LinkScorer", name=name))
    scorer = own()
    scorer.name = name  # type: ignore[misc]  # by this name the harvest's log finds it again
    return scorer


def crawl_scorer(name: str) -> LinkScorer:
    """The scorer of a crawl: one that avoids traps."""
    return TrapAware(scorer(name))
