"""Answers: responses and failures as items and visits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings

from crawler.clock import wall_time
from crawler.records import MOST_FRESH, Claim, Outcome, Seen
from crawler.spiders.visit_maker import VisitMaker, conditions, hash_of, retry_after, seen

URL = "http://a.example/x"
ANSWERS = VisitMaker.of(Settings())
TRIED_OUT = Settings().getint("RETRY_TIMES")


def claim(tries: int = 0) -> Claim:
    return Claim(id=1, url=URL, score=1.0, tries=tries)


def response(status: int, headers: dict[str, str] | None = None, body: str = "") -> Response:
    request = Request(URL, meta={"download_latency": 0.25})
    kind = HtmlResponse if status == 200 and body else Response
    return kind(URL, status, headers or {}, body.encode(), request=request)


@pytest.mark.parametrize(
    ("status", "headers", "outcome", "target"),
    [
        (301, {"Location": "http://b.example/y"}, Outcome.REDIRECT, "http://b.example/y"),
        (302, {"Location": "../z"}, Outcome.REDIRECT, "http://a.example/z"),
        (308, {"Location": "/中文"}, Outcome.REDIRECT, "http://a.example/%E4%B8%AD%E6%96%87"),
        (301, {"Location": "mailto:a@b.example"}, Outcome.FAILED, ""),
        (301, {"Location": "x"}, Outcome.FAILED, ""),  # to itself
        (301, {}, Outcome.FAILED, ""),
        (404, {}, Outcome.FAILED, ""),
        (503, {}, Outcome.RETRY, ""),
        (429, {"Retry-After": "7"}, Outcome.RETRY, ""),
        (200, {"Content-Type": "image/png"}, Outcome.NOT_HTML, ""),
    ],
)
def test_status(status: int, headers: dict[str, str], outcome: Outcome, target: str) -> None:
    visit = ANSWERS.of_response(claim(), response(status, headers))
    assert (visit.outcome, visit.target, visit.status) == (outcome, target, status)
    assert visit.seconds == 0.25
    assert visit.reason
    assert visit.retry_after == (7.0 if "Retry-After" in headers else None)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),  # is over
        ("soon", None),
        ("-1", None),
        ("Mon, 01 Jan 2024 00:00:00 +99999999999", None),
        ("\xb2", None),  # a superscript two is a digit, but no number
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after(Response(URL, 503, {"Retry-After": value.encode("latin-1")})) == seconds


def test_retries_end() -> None:
    visit = ANSWERS.of_response(claim(tries=TRIED_OUT), response(503))
    assert visit.outcome is Outcome.FAILED


def test_page() -> None:
    page = ANSWERS.of_response(claim(), response(200, body="<p>中文"))
    assert (page.claim.url, page.size, page.outcome) == (URL, 9, Outcome.KEPT)
    assert page.content is not None
    assert page.content.decode(page.encoding) == "<p>中文"


@pytest.mark.parametrize(
    ("refresh", "outcome"),
    [
        ("0; url=http://b.example/", Outcome.REDIRECT),
        ("3600; url=http://b.example/", Outcome.KEPT),  # waits longer than a redirect would
        ("5", Outcome.KEPT),  # reloads itself
        ("0; url=/x", Outcome.KEPT),  # to itself
        ("0; url=http://[b.example/", Outcome.KEPT),  # to no address
        ("0; url=http://b.example:99999/", Outcome.KEPT),  # to no port
        ("0; url=app://page/7", Outcome.KEPT),  # to an app
    ],
)
def test_meta_refresh(refresh: str, outcome: Outcome) -> None:
    page = f'<html><head><meta http-equiv="refresh" content="{refresh}"></head><body>x</body></html>'
    answer = ANSWERS.of_response(claim(), response(200, body=page))
    assert answer.outcome is outcome
    assert answer.counts_for_budget  # it was a page fetched with status 200
    assert (answer.content is None) == (outcome is Outcome.REDIRECT)
    by_header = ANSWERS.of_response(claim(), response(200, {"Refresh": refresh}, "x"))
    assert (by_header.outcome, by_header.target) == (outcome, answer.target)


@pytest.mark.parametrize(
    ("header", "elements"),
    [
        ('</feed>; rel="alternate"; type="application/rss+xml"', '<link href="{a}/feed" rel="alternate" type="{rss}">'),
        (
            "<https://b.example/wp-json/>; rel=https://api.w.org/",
            '<link href="https://b.example/wp-json/" rel="{api}">',
        ),
        ('<2>; rel="next", <0>;REL=prev', '<link href="{a}/2" rel="next"><link href="{a}/0" REL="prev">'),
        ('</x>; title="a, b; <c>"; rel=canonical', '<link href="{a}/x" title="a, b; &lt;c&gt;" rel="canonical">'),
        ("<mailto:x@b.example>; rel=next, rubbish, <", ""),
        ("</中>; rel=next", '<link href="{a}/%E4%B8%AD" rel="next">'),
    ],
)
def test_links_of_headers(header: str, elements: str) -> None:
    said = {"a": "http://a.example", "rss": "application/rss+xml", "api": "https://api.w.org/"}
    visit = ANSWERS.of_response(claim(), response(200, {"Link": header}, "x"))
    assert visit.content == f"x{elements.format(**said)}".encode()


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        (DownloadTimeoutError(), Outcome.RETRY, "DOWNLOAD_TIMEOUT"),
        (DownloadCancelledError(), Outcome.FAILED, "DOWNLOAD_MAXSIZE"),
        (IgnoreRequest("Forbidden by robots.txt"), Outcome.FORBIDDEN, "robots.txt"),
        (ZeroDivisionError("odd"), Outcome.FAILED, "ZeroDivisionError: odd"),
    ],
)
def test_failure(error: Exception, outcome: Outcome, words: str) -> None:
    visit = ANSWERS.of_failure(claim(), error)
    assert visit.outcome is outcome
    assert words in str(visit.reason)
    assert visit.counts_for_budget == isinstance(error, DownloadCancelledError), "its bytes were sent with status 200"


SEEN = Seen('"tag"', "Wed, 03 Jan 2024 12:00:00 GMT", hash_of(b"<p>same"))
BEFORE = Claim(id=1, url=URL, score=1.0, seen=SEEN)


def test_what_was_seen_is_asked_for() -> None:
    assert conditions(claim()) == {}
    assert conditions(BEFORE) == {"If-None-Match": '"tag"', "If-Modified-Since": "Wed, 03 Jan 2024 12:00:00 GMT"}
    assert conditions(Claim(1, URL, 1.0, seen=Seen('"tag"'))) == {"If-None-Match": '"tag"'}
    feed = Claim(1, URL, 1.0, index_kind="feed", seen=Seen('"tag"'))
    assert conditions(feed) == {"If-None-Match": '"tag"', "A-IM": "feed"}
    assert "A-IM" not in conditions(replace(feed, seen=Seen("", "Wed, 03 Jan 2024 12:00:00 GMT")))


def test_new_entries_alone_are_an_index_file() -> None:
    feed = replace(BEFORE, index_kind="feed")
    visit = ANSWERS.of_response(feed, response(226, {"IM": "feed", "ETag": '"next"'}, "<feed/>"))
    assert (visit.outcome, visit.status, visit.content) == (Outcome.INDEX_FILE, 200, b"<feed/>")
    assert visit.seen.etag == '"next"'
    assert ANSWERS.of_response(BEFORE, response(226)).outcome is Outcome.FAILED, "it was not asked for"


@pytest.mark.parametrize(
    ("of", "status", "body", "outcome"),
    [
        (BEFORE, 304, "", Outcome.UNCHANGED),
        (BEFORE, 200, "<p>same", Outcome.UNCHANGED),  # a host without validators
        (BEFORE, 200, "<p>other", Outcome.KEPT),  # is to be judged
        (claim(), 304, "", Outcome.FAILED),  # nobody asked for that
        (claim(), 200, "<p>same", Outcome.KEPT),
    ],
)
def test_unchanged(of: Claim, status: int, body: str, outcome: Outcome) -> None:
    visit = ANSWERS.of_response(of, response(status, body=body))
    assert visit.outcome is outcome
    assert (visit.content is None) == (outcome is not Outcome.KEPT), "what is unchanged costs no analysis"
    assert visit.counts_for_budget == (of.seen is None and status == 200)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Cache-Control": "public, max-age=600"}, 600),
        ({"Cache-Control": "max-age=31536000"}, MOST_FRESH),
        ({"Cache-Control": "no-cache, max-age=0"}, None),
        ({"Cache-Control": "s-maxage=9"}, None),  # is meant for shared caches
        ({"Expires": "Thu, 01 Jan 1970 00:00:00 GMT"}, None),
        ({"Expires": "Thu, 01 Jan 2099 00:00:00 GMT"}, MOST_FRESH),
        ({"Expires": "soon"}, None),
    ],
)
def test_how_long_an_answer_is_fresh(headers: dict[str, str], seconds: float | None) -> None:
    found = seen(response(200, headers)).expires_at
    if seconds is None:
        assert found is None
    else:
        assert found == pytest.approx(wall_time() + seconds, abs=60)


def test_a_header_that_no_database_takes_is_not_remembered() -> None:
    found = seen(response(200, {"ETag": '"' + "x" * 5000 + '"', "Last-Modified": "a\0b"}))
    assert (found.etag, found.last_modified) == ("", "ab")
