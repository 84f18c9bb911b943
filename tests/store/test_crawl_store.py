import pytest
from sqlalchemy import text

from crawler.errors import StoreError
from crawler.frontier.frontier import Counts
from crawler.reasons import Code, Reason
from crawler.records import Ended, JudgedPage, Outcome, Visit
from crawler.store.fetch_log import FetchLog
from crawler.store.settling import MAX_REDIRECTS
from tests.stored import count

A, B, C, D = (f"https://{name}.example/" for name in "abcd")


def rows(crawl, query: str) -> list[tuple]:
    with crawl.database.transaction() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def seeded(crawl, *urls: str):
    crawl.frontier.seed(urls, now=0)
    return crawl.claim()


def test_a_page_and_its_outlinks(crawl, kept) -> None:
    (claim,) = seeded(crawl, A)
    assert crawl.store.commit([kept(claim, links={B: 0.2, C: 0.9, D: 0.0})]) == [Outcome.KEPT]
    assert crawl.frontier.counts() == Counts(waiting=2, leased=0, done=1, given_up=0)
    claims = crawl.claim()
    assert [(c.url, c.score, c.depth, c.distance, c.hops) for c in claims] == [(C, 0.9, 1, 0, 0), (B, 0.2, 1, 0, 0)]
    assert (crawl.store.fetched(), crawl.store.kept()) == (1, 1)
    assert rows(crawl, "SELECT via FROM urls WHERE via IS NOT NULL") == [(claim.id,), (claim.id,)]


def test_off_topic_pages_keep_their_row_without_body(crawl, off_topic) -> None:
    (claim,) = seeded(crawl, A)
    crawl.store.commit([off_topic(claim, {B: 0.2})])
    stored = "SELECT url, title, body, nearness, reason FROM pages JOIN judgements ON page_id = pages.id"
    assert rows(crawl, stored) == [(A, "题目", None, 0.1, 'similarity {"similarity":0.1,"threshold":0.3}')]
    assert (crawl.store.fetched(), crawl.store.kept()) == (1, 0)


def test_depth_and_distance_are_the_least_over_the_parents(crawl, kept, off_topic) -> None:
    first, second = seeded(crawl, A, B)
    crawl.store.commit([off_topic(first, {C: 0.5, D: 0.1})])
    assert rows(crawl, f"SELECT depth, distance FROM urls WHERE url = '{C}'") == [(1, 1)]
    crawl.store.commit([kept(second, links={C: 0.4})])
    third, fourth = crawl.claim()
    assert (third.url, third.score, third.distance) == (C, 0.4, 0)
    assert (fourth.url, fourth.distance) == (D, 1)
    crawl.store.commit([off_topic(fourth, {"https://e.example/": 0.1})])
    (fifth,) = crawl.claim()
    assert (fifth.depth, fifth.distance) == (2, 2)


def test_retry_comes_again_and_failed_does_not(crawl) -> None:
    first, second = seeded(crawl, A, B)
    visits = [
        Visit(first, Outcome.RETRY, 0.0, reason=Reason(Code.REFUSED)),
        Visit(second, Outcome.FAILED, 0.0, 404, Reason(Code.STATUS, status=404)),
    ]
    assert crawl.store.commit(visits) == [Outcome.RETRY, Outcome.FAILED]
    assert [(claim.url, claim.tries) for claim in crawl.claim(now=1000)] == [(A, 1)]
    assert crawl.scorer.lessons == [B]
    assert crawl.store.fetched() == 0


def test_redirect_lets_its_target_wait_in_its_place(crawl) -> None:
    (claim,) = seeded(crawl, A)
    crawl.store.commit([Visit(claim, Outcome.REDIRECT, 0.0, 301, target=B)])
    (target,) = crawl.claim()
    assert (target.url, target.score, target.depth, target.hops) == (B, claim.score, 0, 1)


def test_redirects_end(crawl) -> None:
    (claim,) = seeded(crawl, f"{A}0")
    for hop in range(1, MAX_REDIRECTS + 2):
        (outcome,) = crawl.store.commit([Visit(claim, Outcome.REDIRECT, 0.0, 302, target=f"{A}{hop}")])
        claims = crawl.claim()
        if claims:
            (claim,) = claims
    assert outcome is Outcome.FAILED
    assert claims == []
    assert rows(crawl, "SELECT reason FROM fetches ORDER BY id DESC LIMIT 1") == [('redirects {"max_redirects":10}',)]


def test_redirect_circles_end(crawl) -> None:
    first, second = seeded(crawl, A, B)
    visits = [Visit(first, Outcome.REDIRECT, 0.0, 301, target=B), Visit(second, Outcome.REDIRECT, 0.0, 301, target=A)]
    crawl.store.commit(visits)
    assert crawl.frontier.counts() == Counts(0, 0, 2, 0)


def test_redirect_to_itself_fails(crawl) -> None:
    (claim,) = seeded(crawl, A)
    assert crawl.store.commit([Visit(claim, Outcome.REDIRECT, 0.0, 301, target=A)]) == [Outcome.FAILED]


@pytest.mark.parametrize("together", [True, False])
def test_exact_duplicates_are_stored_once(crawl, kept, together: bool) -> None:
    first, second = seeded(crawl, A, B)
    one, two = kept(first, "正文 Text\n甲"), kept(second, "正文  text 甲", links={C: 0.3})
    outcomes = crawl.store.commit([one, two]) if together else crawl.store.commit([one]) + crawl.store.commit([two])
    assert outcomes == [Outcome.KEPT, Outcome.DUPLICATE]
    stored = "SELECT url, body IS NULL, duplicate_of FROM pages JOIN judgements ON page_id = pages.id ORDER BY url"
    assert rows(crawl, stored) == [(A, 0, None), (B, 1, 1)]
    assert [claim.url for claim in crawl.claim()] == [C]  # its links count
    assert (crawl.store.fetched(), crawl.store.kept()) == (2, 1)


def test_a_url_that_was_settled_is_not_stored_again(crawl, kept, off_topic) -> None:
    (claim,) = seeded(crawl, A)
    (again,) = crawl.claim(now=1000)  # the lease has run out
    assert crawl.store.commit([kept(claim, links={B: 0.5}), kept(again, "别的正文", at=1_000.0)]) == [
        Outcome.KEPT,
        Outcome.DUPLICATE,
    ]
    assert crawl.store.commit([off_topic(again, at=2_000.0)]) == [Outcome.DUPLICATE]
    assert rows(crawl, "SELECT count(*), count(body) FROM pages") == [(1, 1)]
    assert len(crawl.scorer.lessons) == 1
    assert crawl.frontier.counts() == Counts(1, 0, 1, 0)
    assert rows(crawl, "SELECT count(*), count(*) FILTER (WHERE counted) FROM fetches") == [(3, 1)]
    assert crawl.store.fetched() == 1


def test_a_url_that_another_claim_has_settled_is_not_tried_again(crawl, kept) -> None:
    (claim,) = seeded(crawl, A)
    (again,) = crawl.claim(now=1000)  # the lease has run out
    tried = Visit(claim, Outcome.RETRY, 500.0, 503)
    assert crawl.store.commit([tried, kept(again, "正文", at=1_000.0)]) == [Outcome.DUPLICATE, Outcome.KEPT]
    assert crawl.claim(now=100_000) == []


def test_topics_share_a_page(crawl, open_crawl, kept, off_topic, tmp_path) -> None:
    (claim,) = seeded(crawl, A)
    crawl.store.commit([kept(claim, "正文")])
    crawl.database.close()
    for judge, body in ((off_topic, "正文"), (kept, "新的正文")):
        other = open_crawl(crawl.url, topic=judge.__qualname__)
        other.frontier.seed([A], now=0)
        other.store.commit([judge(*other.claim())])
        assert len(rows(other, "SELECT url FROM pages WHERE body IS NOT NULL")) == 1, body
        other.database.close()
    crawl.open()
    assert count(crawl, "judgements") == 3


def test_refresh_changes_scores(crawl, kept) -> None:
    (claim,) = seeded(crawl, A)
    crawl.scorer.news = {B: 0.9, C: 0.1}
    crawl.store.commit([kept(claim, links={B: 0.2, C: 0.5})])
    assert [claim.url for claim in crawl.claim()] == [B, C]


def test_restore_teaches_the_same_lessons(crawl, kept, off_topic) -> None:
    first, second, third = seeded(crawl, A, B, C)
    crawl.store.commit([kept(first, links={f"{A}{n}": n / 3 for n in range(9)})])
    crawl.store.commit([Visit(second, Outcome.FAILED, 0.0), off_topic(third, {D: 0.5})])
    pages = crawl.claim()
    crawl.store.commit([off_topic(page) for page in pages[:3]] + [Visit(pages[3], Outcome.RETRY, 0.0)])
    lessons = crawl.scorer.lessons
    assert [lesson.url if isinstance(lesson, JudgedPage) else lesson for lesson in lessons[:3]] == [A, B, C]
    fetched = crawl.store.fetched()
    crawl.reopen()
    assert crawl.scorer.lessons == lessons
    assert crawl.store.fetched() == fetched == 5
    assert crawl.store.kept() == 1


def test_the_log_knows_where_a_redirect_leads(crawl) -> None:
    first, second = seeded(crawl, A, B)
    crawl.store.commit(
        [
            Visit(first, Outcome.REDIRECT, 0.0, 301, Reason(Code.REDIRECT, url=D), target=D),
            Visit(
                second, Outcome.REDIRECT, 0.0, 301, Reason(Code.REDIRECT, url=B), target=B
            ),  # fails: it leads to itself
        ]
    )
    with crawl.database.transaction(shared=True) as connection:
        lessons = list(FetchLog(crawl.frontier.topic_id).history(connection))
    assert [lesson.news for lesson in lessons] == [Ended(A, Outcome.REDIRECT, D), Ended(B, Outcome.FAILED)]


def test_restore_gives_waiting_urls_the_scores_that_follow(crawl, kept) -> None:
    (claim,) = seeded(crawl, A)
    crawl.store.commit([kept(claim, links={B: 0.2, C: 0.5})])
    crawl.frontier.rescore({B: 0.9})
    crawl.reopen()
    assert [claim.url for claim in crawl.claim()] == [C, B]


def test_a_failed_transaction_leaves_nothing(crawl, kept) -> None:
    (claim,) = seeded(crawl, A)
    with crawl.database.transaction() as connection:
        connection.execute(text("ALTER TABLE links RENAME TO elsewhere"))
    with pytest.raises(StoreError):
        crawl.store.commit([kept(claim, links={B: 0.5})])
    with crawl.database.transaction() as connection:
        connection.execute(text("ALTER TABLE elsewhere RENAME TO links"))
    assert crawl.frontier.counts() == Counts(0, 1, 0, 0)
    assert (crawl.store.fetched(), crawl.store.kept()) == (0, 0)
    crawl.reopen()
    assert crawl.scorer.lessons == []
    assert crawl.store.commit([kept(*crawl.claim(), links={B: 0.5})]) == [Outcome.KEPT]
    assert crawl.frontier.counts() == Counts(1, 0, 1, 0)


def test_broken_characters_are_no_reason_to_stop(crawl, kept) -> None:
    (claim,) = seeded(crawl, A)
    assert crawl.store.commit([kept(claim, "正\ud800文\0", links={B: 0.5})]) == [Outcome.KEPT]


def test_a_kept_page_needs_its_analysis(crawl) -> None:
    (claim,) = seeded(crawl, A)
    with pytest.raises(ValueError, match="analysis"):
        crawl.store.commit([Visit(claim, Outcome.KEPT, 0.0, 200)])


def test_failures_send_a_host_to_rest_and_forbidden_ones_do_not(crawl) -> None:
    claims = {claim.url: claim for claim in seeded(crawl, A, f"{A}1", B, f"{B}1")}
    crawl.frontier.release([claims[f"{A}1"], claims[f"{B}1"]])
    crawl.store.commit([Visit(claims[A], Outcome.RETRY, 0.0), Visit(claims[B], Outcome.FORBIDDEN, 0.0)])
    assert [claim.url for claim in crawl.claim(now=0.5)] == [f"{B}1"]


def test_nothing_to_commit(crawl) -> None:
    assert crawl.store.commit([]) == []
