"""Where rendering pays, and for how long it is tried; what pages ask for, once."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings

from crawler.crawl import renderer
from crawler.crawl.browser import BrowserGone
from crawler.crawl.renderer import RESOURCE, Renderer, Resources
from crawler.errors import SettingError
from crawler.records import Analysis, Claim, Extraction, Link, Outcome, Outlink, Seen, Visit

SHELL = b"<div id=app></div><script src=/app.js></script>"
POST, LIST, NOTHING, GONE = "post", "list", "nothing", "gone"  # what a rendered page has
EMPTY = Analysis(is_shell=True)


def job(found: Analysis, *links: str) -> asyncio.Future[Analysis]:
    done: asyncio.Future[Analysis] = asyncio.get_running_loop().create_future()
    done.set_result(replace(found, outlinks=tuple(Outlink(Link(url)) for url in links)))
    return done


class Engine:
    """Answers whatever is asked for, and notes it."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def download_async(self, request: Request) -> Response:
        self.asked.append(request)
        if "broken" in request.url:
            raise ValueError(request.url)
        return Response(request.url, 200, {"Content-Type": "text/javascript", "Set-Cookie": "a=1"}, b"x" * 1000)


def begin(content: bytes, encoding: str) -> asyncio.Future[Analysis]:
    made = content.decode(encoding)
    extraction = Analysis(Extraction(body="渡口" if made == POST else ""))
    return job(extraction, *(["https://a.example/new"] if made == LIST else []), "https://a.example/known")


def rendered(*makes: str, shell: Analysis = EMPTY, again: bool = False, on: str = "https://a.example/{}") -> list[bool]:
    """Whether each page of a host was replaced by its rendered form; the browser is asked for `makes` in order."""

    async def whole() -> list[bool]:
        subject, left = Renderer("", "Zhuti"), list(makes)

        async def content(*_: object) -> str:
            made = left.pop(0)
            if made == GONE:
                raise BrowserGone
            return made if made != NOTHING else "<p>"

        async def close() -> None: ...

        subject._chromium = SimpleNamespace(content=content, close=close)  # type: ignore[assignment]
        subject._resources = Resources(SimpleNamespace(engine=Engine(), stats=None, settings=Settings()))  # type: ignore[arg-type]
        found = []
        for number in range(len(makes)):
            claim = Claim(number, on.format(number), 1.0, seen=Seen() if again else None)
            visit = Visit(claim, Outcome.KEPT, 0.0, content=SHELL, encoding="utf-8", seen=Seen(etag='"1"'))
            before = job(shell, "https://a.example/known")
            after, chosen = await subject.better(visit, before, begin)
            assert after.rendered is (chosen is not before)
            is_shell_again = again and not after.rendered
            assert after.outcome is (Outcome.UNCHANGED if is_shell_again else Outcome.KEPT)
            assert after.seen == (Seen() if after.rendered or is_shell_again else Seen(etag='"1"'))
            found.append(after.rendered)
        return found

    return asyncio.run(whole())


CREDIT = [  # what the pages of a host have when rendered, and which of them are taken
    ([POST, POST], [True, True]),
    ([LIST, POST], [True, True]),
    ([NOTHING, POST], [False, False]),
    ([POST, NOTHING, NOTHING, POST], [True, False, False, True]),
    ([POST, NOTHING, NOTHING, NOTHING, POST], [True, False, False, False, False]),
    ([POST, GONE, POST], [True, False, False]),
]


@pytest.mark.parametrize(("makes", "expected"), CREDIT)
def test_credit(makes: list[str], expected: list[bool]) -> None:
    assert rendered(*makes) == expected


def test_a_shell_that_was_visited_before() -> None:
    """Perhaps it was rendered then: a shell is no other text."""
    assert rendered(NOTHING, POST, again=True) == [False, False]
    assert rendered(POST, NOTHING, again=True) == [True, False]


def test_hosts_of_a_wildcard() -> None:
    assert rendered(*[NOTHING] * 12, POST, on="https://h{}.a.example/") == [False] * 13
    made = [NOTHING] * 8 + [POST] + [NOTHING] * 2 + [POST]
    assert rendered(*made, on="https://h{}.a.example/") == [made == POST for made in made]


@pytest.mark.parametrize("shell", [Analysis(), Analysis(is_shell=True, forbids=frozenset({"noindex"}))])
def test_what_is_not_rendered(shell: Analysis) -> None:
    assert rendered(POST, shell=shell) == [False]


def test_the_end_of_chromium_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        rendered(POST, GONE, POST)
    assert [record.message for record in caplog.records] == [
        "Chromium has ended; the crawl goes on without it, and renders no more pages"
    ]


def test_resources_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "MOST_BYTES", 2500)
    engine = Engine()

    async def whole() -> None:
        resources = Resources(SimpleNamespace(engine=engine, stats=None, settings=Settings()))  # type: ignore[arg-type]
        first, second = await asyncio.gather(*(resources.get("a.example", "https://a.example/1", {}) for _ in range(2)))
        assert first is second and first is not None
        assert (first.status, first.headers, len(first.body)) == (200, {"content-type": "text/javascript"}, 1000)
        assert await resources.get("a.example", "https://a.example/broken", {}) is None
        assert await resources.get("a.example", "https://a.example/broken", {}) is None
        assert await resources.get("a.example", "file:///etc/passwd", {}) is None
        for name in ("2", "3", "1"):  # the third has no room beside the first two
            await resources.get("a.example", f"https://a.example/{name}", {})

    asyncio.run(whole())
    assert [request.url[-1] for request in engine.asked] == ["1", "n", "2", "3", "1"]
    assert all(request.meta[RESOURCE] and request.meta["dont_retry"] for request in engine.asked)


def test_settings_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Renderer.of(Settings({"RENDER": "off"})) is None
    with pytest.raises(SettingError, match="give auto or off"):
        Renderer.of(Settings({"RENDER": "always"}))
    monkeypatch.setattr("crawler.options.find_spec", lambda _: None)
    with pytest.raises(SettingError, match=r"pip install 'zhuti\[render\]'"):
        Renderer.of(Settings({"RENDER": "auto"}))
