"""A visit's final outcome, after redirects and duplicates: what is stored of it, and what a link scorer learns."""

from __future__ import annotations

from crawler.reasons import Code, Reason
from crawler.records import JUDGED, Analysis, JudgedPage, Outcome, Visit
from crawler.store.duplicates import Fingerprint, First
from crawler.store.fetch_log import Settled

MAX_REDIRECTS = 10  # in a row; what browsers and Scrapy's REDIRECT_MAX_TIMES tolerate lies between 10 and 20


def settled_as(visit: Visit, mark: Fingerprint | None, first: First | None) -> Settled:
    """`first`: the kept page that it repeats."""
    if visit.outcome is Outcome.REDIRECT:
        if visit.claim.hops >= MAX_REDIRECTS:
            return Settled(visit, Outcome.FAILED, Reason(Code.REDIRECTS, max_redirects=MAX_REDIRECTS))
        if visit.target == visit.claim.url and not visit.asks:
            return Settled(visit, Outcome.FAILED, Reason(Code.REDIRECT_TO_ITSELF))
    judged = visit.analysis if visit.outcome in (*JUDGED, Outcome.INDEX_FILE) else None
    if first is not None:
        return Settled(visit, Outcome.DUPLICATE, first.reason, first.digest, judged)
    return Settled(visit, visit.outcome, visit.reason, mark.digest if mark else None, judged)


def learned_page(visit: Visit, analysis: Analysis, outcome: Outcome) -> JudgedPage:
    """What a link scorer learns of it."""
    claim, judgement = visit.claim, analysis.judgement
    return JudgedPage(
        url=claim.url,
        nearness=min(1.0, judgement.nearness),
        on_topic=judgement.on_topic,
        text_relevance=judgement.text_relevance,
        depth=claim.depth,
        distance=claim.distance,
        outlinks=analysis.outlinks,
        post=analysis.post,
        index_kind=claim.index_kind,
        again=claim.seen is not None,
        repeats=outcome is Outcome.DUPLICATE,
    )
