import pytest

from crawler.errors import StoreError
from crawler.frontier.new_urls import NewUrl
from crawler.questions.totals import HostYield, totals
from crawler.reasons import Code, Reason
from crawler.records import Outcome, Visit, similarity_of

A, B, C, D = (f"https://{name}.example/" for name in "abcd")


def test_report(crawl, kept, off_topic) -> None:
    crawl.frontier.seed([A, f"{A}1", f"{A}2", B, C, D], now=0)
    crawl.frontier.add([NewUrl(f"{B}atom.xml", 1.0, index_kind="feed")], 0)
    claims = {claim.url: claim for claim in crawl.claim()}
    crawl.store.commit(
        [
            kept(claims[A], links={"https://e.example/": 0.1}),
            kept(claims[f"{A}1"]),
            off_topic(claims[f"{A}2"]),
            kept(claims[B], f"{A}的正文"),
            Visit(claims[C], Outcome.FAILED, 0.0, 404, Reason(Code.STATUS, status=404)),
            Visit(claims[D], Outcome.RETRY, 0.0, 0, Reason(Code.REFUSED)),
            Visit(claims[f"{B}atom.xml"], Outcome.FAILED, 0.0, 404, Reason(Code.STATUS, status=404)),
        ]
    )
    told = totals(crawl.database, "t")
    assert (told.fetched, told.kept, told.off_topic, told.duplicates) == (4, 2, 1, 1)
    assert told.harvest_rate == 0.5
    assert told.mean_similarity == pytest.approx(similarity_of(0.5))
    assert told.waiting == 2
    assert told.best_hosts == (HostYield("a.example", judged=3, kept=2),)
    assert told.best_hosts[0].harvest_rate == pytest.approx(2 / 3)
    assert told.failures == ((Reason(Code.STATUS, status=404), 1),)
    assert told.failed_seeds == ((C, Reason(Code.STATUS, status=404)), (D, Reason(Code.REFUSED)))


def test_report_of_nothing(crawl) -> None:
    told = totals(crawl.database, "t")
    assert (told.fetched, told.harvest_rate, told.mean_similarity, told.waiting) == (0, 0.0, 0.0, 0)
    assert told.best_hosts == told.failures == ()
    with pytest.raises(StoreError, match="unknown"):
        totals(crawl.database, "unknown")
