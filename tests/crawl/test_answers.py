"""Answers: responses and failures as items and visits."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings

from crawler.records import Claim, Outcome
from crawler.spiders.answers import Answers, retry_after

URL = "http://a.example/x"
ANSWERS = Answers.of(Settings())
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
    assert (page.claim.url, page.markup, page.size, page.outcome) == (URL, "<p>中文", 9, Outcome.KEPT)


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
    assert (answer.markup is None) == (outcome is Outcome.REDIRECT)


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
    assert words in visit.reason
    assert visit.counts_for_budget == isinstance(error, DownloadCancelledError), "its bytes were sent with status 200"
