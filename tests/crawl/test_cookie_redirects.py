"""Cookies of redirects: which are kept, how many, and when an address is asked for once more."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawler.middlewares.cookie_redirects import ASKS, MOST_BYTES, MOST_COOKIES, CookieRedirectsMiddleware

A = "http://a.example"


def asked(middleware: CookieRedirectsMiddleware, url: str, **headers: str | list[str]) -> Request:
    """The request for the address, after an answer with these headers: a redirect where there is a Location."""
    request = Request(url, meta={"claim": True})
    middleware.process_request(request)
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    middleware.process_response(request, Response(url, 302 if "Location" in headers else 200, said))
    return request


@pytest.mark.parametrize(
    ("ways", "asks"),
    [
        ([("/", "/", "a=1")], "/"),  # to itself
        ([("/", "/w", ""), ("/w", "/", "a=1")], "/"),
        ([("/", "/w", "a=1"), ("/w", "/", "")], "/"),
        ([("/", "/w", ""), ("/w", "/v", "a=1"), ("/v", "/", "b=1")], "/"),
        ([("/", "/w", ""), ("/w", "/v", "a=1"), ("/v", "/w", "")], "/w"),
        ([("/", "/w", ""), ("/w", "/", "")], None),  # no cookie
        ([("/", "/w", "a=1"), ("/w", "/v", "b=1")], None),  # it leads on
    ],
)
def test_what_is_asked_for_once_more(ways: list[tuple[str, str, str]], asks: str | None) -> None:
    middleware = CookieRedirectsMiddleware()
    for url, target, cookie in ways:
        last = asked(middleware, A + url, Location=target, **({"Set_Cookie": cookie} if cookie else {}))
    assert last.meta.get(ASKS) == (asks and A + asks)
    new = Request(f"{A}/other")
    middleware.process_request(new)
    assert new.headers.get("Cookie") == (b"; ".join(c.encode() for *_, c in ways if c) if asks else None)
    if asks:
        for url, target, _ in ways:
            again = asked(middleware, A + url, Location=target, Set_Cookie="c=2")
        assert ASKS not in again.meta, "but once"


def test_what_the_user_sends_stays() -> None:
    middleware = CookieRedirectsMiddleware()
    asked(middleware, f"{A}/", Location="/", Set_Cookie="a=1")
    own = Request(f"{A}/x", headers={"Cookie": "own=1"})
    for _ in range(2):
        middleware.process_request(own)
    assert own.headers["Cookie"] == b"own=1; a=1"


def test_a_host_has_few_cookies_and_none_of_others() -> None:
    middleware = CookieRedirectsMiddleware()
    for place in range(9):
        many = [f"c{place}_{number}={'x' * 100}" for number in range(5_000)]
        asked(middleware, f"{A}/{place}", Location=f"/{place}", Set_Cookie=many)
    for url, most in ((A, MOST_BYTES), ("http://b.example", 0)):
        new = Request(f"{url}/x")
        middleware.process_request(new)
        sent = new.headers.get("Cookie") or b""
        assert len(sent) <= most and sent.count(b"=") <= MOST_COOKIES


def test_a_file_beside_pages_that_redirects_in_a_circle_is_given_up() -> None:
    middleware = CookieRedirectsMiddleware()
    request, answer = Request(f"{A}/ai.txt"), Response(f"{A}/ai.txt", 302, {"Location": "/ai.txt"})
    with pytest.raises(IgnoreRequest):
        middleware.process_response(request, answer)
