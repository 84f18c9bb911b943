"""What travels from the spider to the store."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.records import Analysis, Claim, Outcome, Visit, WarcPlace


@dataclass(slots=True, eq=False)
class PageItem:
    """A fetched page: the spider makes it, the spider middleware adds the analysis, the pipelines its outcome."""

    claim: Claim
    url: str
    markup: str
    status: int
    fetched_at: float  # seconds since the epoch
    seconds: float  # download latency
    size: int  # bytes as received
    place: WarcPlace | None = None  # of the response, when responses are archived
    analysis: Analysis | None = None
    outcome: Outcome = Outcome.KEPT
    reason: str = ""  # why it is not kept

    def visit(self) -> Visit:
        return Visit(
            claim=self.claim,
            outcome=self.outcome,
            fetched_at=self.fetched_at,
            status=self.status,
            reason=self.reason,
            seconds=self.seconds,
            size=self.size,
            analysis=self.analysis,
            place=self.place,
        )
