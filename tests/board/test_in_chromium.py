"""Every button and every key of every view, pressed in Chromium, in both languages, on a screen and on a phone.

Pictures of the views are left in build/board/, to be looked at."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from crawler.crawl.browser import NAMES
from crawler.reasons import NONE, Code, Reason
from crawler.records import Claim, Outcome, Visit
from tests.board.serving import KEPT, TOPIC, Serve, harvested as harvested, serve as serve
from tests.conftest import ROOT
from tests.crawls import Crawl, analysis, kept as kept, off_topic as off_topic
from tests.store.runs import run
from zhuti.board.actions import LOG

pytest.importorskip("playwright", reason="pip install zhuti[render]")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="apt-get install chromium: the board is pressed in it"),
    pytest.mark.slow,
]
PICTURES = ROOT / "build" / "board"
SIZES = {1280: 900, 390: 844}  # pixels, of a screen and of a phone
# For fields that must be filled in.
WORDS = {"pattern": "z.example/tag/", "host": "b.example", "word": "渡口", "name": "tea", "seeds": "https://t.example/"}
PAGE = f"page?url={quote(KEPT, safe='')}"
VIEWS = {
    "topics": "/",
    **{name: f"/t/{TOPIC}/{name}" for name in ("watch", "label", "pages", "hosts", "topic", "news", "map")},
    "page": f"/t/{TOPIC}/{PAGE}",
    "off-topic": f"/t/{TOPIC}/pages?outcome=off-topic&order=least+similar",
    "waiting": f"/t/{TOPIC}/pages?outcome=waiting",
    "not-begun": "/t/begun/watch",
    "failed": f"/t/{TOPIC}/pages?outcome=came+to+nothing",
}
PRESSED = (("en", 1280), ("zh-CN", 390))  # each language once, each size once: all four would take twice the time
LABELS = {"y": "yes", "n": "no", "s": "unsure"}  # key and answer


@pytest.fixture
def many(harvested: Crawl, kept: Callable[..., Visit]) -> Crawl:
    """A harvest with something in every view: pages of different similarity, failures, long addresses that wait."""

    def failed(claim: Claim, at: float) -> Visit:
        return Visit(claim, Outcome.FAILED, at, 404, Reason(Code.STATUS, status=404))

    def scored(claim: Claim, at: float) -> Visit:
        last = claim.url.rpartition("/")[2]
        number = int(last) if last.isdigit() else 0
        similarity = 0.05 + number * 0.04
        judged = analysis(
            f"{claim.url} 第 {number} 篇 线程 与 并发\n正文\n" * 3, {KEPT: 0.5}, similarity, f"笔记 {number}"
        )
        outcome = Outcome.KEPT if similarity >= 0.3 else Outcome.OFF_TOPIC
        why = NONE if similarity >= 0.3 else Reason(Code.SIMILARITY, similarity=similarity, threshold=0.3)
        return Visit(claim, outcome, at, 200, why, size=900, analysis=judged)

    harvested.open()
    run(harvested, 5_000.0, [f"https://{host}.example/post/{number}" for host in "de" for number in range(20)], scored)
    run(harvested, 6_000.0, [f"https://f.example/gone/{number}" for number in range(3)], failed)
    waiting = [f"https://h{number}.example/{'a-long-way/' * 9}{number}.html?tag=java" for number in range(30)]
    harvested.frontier.seed(waiting, now=7_000.0)
    harvested.database.close()
    return harvested


@dataclass
class Hands:
    """Presses, and keeps what went wrong meanwhile."""

    page: Any
    home: str
    trouble: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.trouble.append(f"script: {error}"))
        self.page.on("console", self._written)
        self.page.on("response", self._answered)

    def _written(self, line: Any) -> None:
        if line.type == "error":
            self.trouble.append(f"console: {line.text}")

    def _answered(self, response: Any) -> None:
        if response.status >= 400:
            self.trouble.append(f"{response.status} {response.request.method} {response.url}")

    def open(self, path: str) -> None:
        self.page.goto(self.home + path)

    def is_at(self, path: str) -> bool:
        """Whether this is the page of `path`, whatever it tells besides."""
        here, there = urlsplit(self.page.url), urlsplit(path)
        shown = [pair for pair in parse_qsl(here.query) if pair[0] != "told"]
        return (here.path, shown) == (there.path, parse_qsl(there.query))

    def leads_somewhere(self, press: Callable[[], None]) -> str:
        """What is told on the page that comes after `press`, which must be a page of the board that works."""
        before = len(self.trouble)
        with self.page.expect_navigation():
            press()
        assert self.page.locator("header .home").count() == 1, "a page of the board"
        assert self.trouble[before:] == []
        assert self.page.get_by_role("alert").all_text_contents() == []
        return " ".join(self.page.get_by_role("status").all_text_contents())


@contextmanager
def hands(home: str, token: str, language: str, width: int) -> Iterator[Hands]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        size = {"width": width, "height": SIZES[width]}
        page = browser.new_page(locale=language, viewport=size)
        page.set_default_timeout(60_000)
        found = Hands(page, home)
        found.open(f"/?token={token}")
        yield found
        browser.close()


def presses(page: Any) -> Iterator[Any]:
    """The buttons that send a form, of a column of equal ones the first and the last; a run has a test of its own."""
    found = page.locator('form:not([action$="/run"]):not([action$="/stop"]) button:visible')
    texts = found.all_inner_texts()
    for place, text in enumerate(texts):
        if text not in texts[:place] or text not in texts[place + 1 :]:
            yield found.nth(place)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_button(language: str, width: int, many: Crawl, serve: Serve, topics: Path, tmp_path: Path) -> None:
    board = serve()
    (topics / "begun.toml").write_text('seeds = ["https://t.example/"]\n[schedule]\nevery = "1d"\n', encoding="utf-8")
    log = tmp_path / TOPIC / LOG
    log.parent.mkdir()
    log.write_text("2026-11-26 05:00:00 [scrapy.core.engine] INFO: Spider opened\n" * 60, encoding="utf-8")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with hands(f"http://127.0.0.1:{board.port}", board.token, language, width) as found:
        for name, path in VIEWS.items():
            found.open(path)
            found.page.screenshot(path=PICTURES / f"{name}.{language[:2]}.{width}.png", full_page=True)
            assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} fits"
        for name, path in VIEWS.items() if (language, width) in PRESSED else ():
            found.open(path)
            for place in range(sum(1 for _ in presses(found.page))):
                if not found.is_at(path):  # most buttons lead back to their page
                    found.open(path)
                button = next(islice(presses(found.page), place, None), None)
                if button is None:  # the presses before it have used up what was asked about
                    break
                form = button.locator("xpath=ancestor::form")
                for box in form.locator("input[type=checkbox]").all()[:2]:
                    box.check()
                for required in form.locator("[required]").all():
                    required.fill(WORDS[required.get_attribute("name") or ""])
                told = found.leads_somewhere(button.click)
                assert told or form.get_attribute("method") == "get", (name, place)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_every_key(many: Crawl, serve: Serve) -> None:
    board = serve()
    with hands(f"http://127.0.0.1:{board.port}", board.token, "en", 1280) as found:
        for path in (VIEWS["label"], VIEWS["page"]):
            for key in LABELS:
                found.open(path)
                assert "stored" in found.leads_somewhere(lambda key=key: found.page.keyboard.press(key))
        found.open(VIEWS["label"])
        assert "taken back" in found.leads_somewhere(lambda: found.page.keyboard.press("u"))


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_watch_lives_while_a_crawl_runs(harvested: Crawl, kept: Callable[..., Visit], serve: Serve) -> None:
    """Its numbers move without a reload, and its end is told; but what somebody ticks or types stays as it is."""
    cards, pattern = "document.querySelector('.cards').innerText", "main input[name=pattern]"
    harvested.open()
    harvested.store.begin_run(5_000.0)
    board = serve()
    with hands(f"http://127.0.0.1:{board.port}", board.token, "en", 1280) as found:
        page = found.page
        for number, held in enumerate(("", "main input[type=checkbox]", pattern)):
            found.open(f"/t/{TOPIC}/watch")
            before = page.evaluate(cards)
            if held:
                page.fill(held, "a.example/tag/") if held == pattern else page.check(held)
                page.evaluate("document.activeElement.blur()")
            harvested.frontier.seed([f"https://live.example/{number}/{n}" for n in range(4)], now=5_000.0 + number)
            harvested.store.commit([kept(each, f"正文{each.url}" * 9, at=5_001.0) for each in harvested.claim()])
            if held:
                page.wait_for_timeout(6_000)
                assert page.evaluate(cards) == before
                assert page.input_value(held) == "a.example/tag/" if held == pattern else page.is_checked(held)
            else:
                page.wait_for_function(f"before => {cards} !== before", arg=before, timeout=20_000)
        found.open(f"/t/{TOPIC}/watch")
        page.get_by_text("under way").wait_for()
        harvested.store.end_run(6_000.0, Reason(Code.STOPPED))
        page.get_by_text("· stopped").wait_for(timeout=20_000)
        assert page.locator("main[hx-get]").count() == 0, "it asks no more"
    harvested.database.close()
