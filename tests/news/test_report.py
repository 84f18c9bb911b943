"""The report of a run: one file that tells all, runs nothing and asks nobody, in a real browser too."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lxml import html
from PIL import Image
from scrapy.settings import Settings

from crawler.errors import StoreError
from crawler.questions.runs import Run
from crawler.questions.totals import HostYield
from crawler.reasons import NONE, Code, Reason
from crawler.records import Outcome, Visit
from tests.crawls import Crawl, analysis
from tests.serving import Quiet, listening
from tests.store.runs import run
from zhuti.news.news import Item, News
from zhuti.news.run_facts import BINS, Facts, IndexFileVisit
from zhuti.news.run_report import as_html, write_report

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
ATTACK = (
    "茶</title></a></svg><script>document.title='owned'</script><img src=http://evil.example/i"
    " onerror=\"document.title='owned'\"><style>@import 'http://evil.example/c'</style>'\"{{ 7*7 }}"
)
PAGE = Item("https://a.example/1?a=%22%3E&b=2", "绿茶的冲泡", "水温八十度，先温杯。", "2026-01-02", 1.7e9, 0.91)
BLUE = np.array([0x25, 0x63, 0xEB]) / 255  # of the bars and the curve


def facts(text: str = "") -> Facts:
    """Of a run of 60 pages; whatever others write is `text`, when given."""
    runs = [
        Run(n, 1.7e9 + n * 86400, 1.7e9 + n * 86400 + 600, 60, Reason.of(text) or Reason(Code.BUDGET), 60, 60, n)
        for n in (1, 2, 3)
    ]
    page = Item(PAGE.url, text or PAGE.title, text or PAGE.opening, text or PAGE.published, PAGE.at, PAGE.similarity)
    dropped = replace(page, dropped_at=PAGE.at)
    return Facts(
        news=News(text or "tea", runs[-1], (page, page), (page,), (page,), (page,), (dropped,), (2, 1, 1, 1, 1)),
        runs=runs,
        requests=66,
        pages=60,
        kept=30,
        revisits=12,
        bytes=1_234_567,
        curve=[(n, 0.5) for n in range(1, 61)],
        step=60.0,
        speed=[(1.7e9 + 60 * n, 10, n) for n in range(6)],
        kept_by_similarity=[0] * 6 + [3] * (BINS - 6),
        other_by_similarity=[9] * 6 + [1] * (BINS - 6),
        outcomes=Counter({(False, Outcome.KEPT.value): 28, (True, Outcome.KEPT.value): 2}),
        errors=[(Reason.of(text) or Reason(Code.STATUS, status=404), 6)],
        best=[HostYield(text or "a.example", 40, 30)],
        worst=[HostYield(text or "b.example", 20, 0)],
        index_files=[IndexFileVisit(text or "https://a.example/atom.xml", "feed", 20, 9)],
    )


def words_of(page: html.HtmlElement) -> str:
    return " ".join(" ".join(page.itertext()).split())


def test_says_what_there_is(tmp_path: Path) -> None:
    page = html.fromstring(as_html(facts(), "All about tea"))
    words = words_of(page)
    for part in (
        "All about tea Run 3 · 2023-11-17 22:13 to 2023-11-17 22:23 UTC, 10 min · budget spent",
        "3 new on topic, when they came",
        "0.50 on topic, of the pages fetched",
        "66 / 60 requests of the budget",
        "12 of them revisits",
        "1.2 MB received",
        "绿茶的冲泡 水温八十度，先温杯。",
        "similarity 0.91 · published 2026-01-02",
        "a.example 30 40 0.75",
        "b.example 0 20 0.00",
        "kept 28 2",
        "status 404 6",
        "https://a.example/atom.xml feed 20 9",
    ):
        assert part in words
    assert len(page.findall(".//svg")) == 4
    assert {link.get("href") for link in page.iter("a")} == {PAGE.url}


def test_nothing_happened() -> None:
    only = Run(1, 1.7e9, None, 0, NONE)
    words = words_of(
        html.fromstring(as_html(Facts(News("tea", only, (), (), (), (), (), (0, 0, 0, 0, 0)), [only]), "tea"))
    )
    assert "UTC, not ended" in words
    assert "No new page on the topic." in words


def test_what_others_wrote_is_text() -> None:
    page = html.fromstring(as_html(facts(ATTACK), ATTACK))
    assert list(page.iter("script", "img", "iframe", "object", "embed", "link", "form")) == []
    outside = [element for element in page.iter() for name in element.attrib if name.startswith("on") or name == "src"]
    assert outside == []
    text = str(page.xpath("string()"))
    assert text.count("<script>document.title='owned'</script>") >= 10
    assert "{{ 7*7 }}" in text
    assert all("@import" not in (style.text or "") for style in page.iter("style"))


def test_of_a_harvest(crawl_of_two_runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database, settings = crawl_of_two_runs
    path = write_report(database, "t", settings)
    assert path == tmp_path / "reports" / "t" / "2.html"
    words = words_of(html.fromstring(path.read_text(encoding="utf-8")))
    assert "1 new on topic, when they came" in words
    assert "first visits revisits kept 1 0" in words
    assert write_report(database, "t", settings, "1").name == "1.html"
    other = path.with_name("notes.html")
    other.write_text("mine", encoding="utf-8")
    monkeypatch.setattr("zhuti.news.run_report.KEPT", 1)
    write_report(database, "t", settings)
    assert sorted(found.name for found in path.parent.iterdir()) == ["2.html", "notes.html"]
    with pytest.raises(StoreError, match="no run 3"):
        write_report(database, "t", settings, "3")


@pytest.fixture
def crawl_of_two_runs(tmp_path: Path):
    crawl = Crawl(f"sqlite:///{tmp_path / 'harvest.db'}")
    for start, host in ((1e9, "a"), (1.1e9, "b")):
        run(
            crawl,
            start,
            [f"https://{host}.example/"],
            lambda claim, at: Visit(claim, Outcome.KEPT, at, 200, size=9, analysis=analysis(claim.url, {})),
        )
    yield crawl.database, Settings({"REPORTS_DIR": str(tmp_path / "reports"), "TOPICS_DIR": str(tmp_path)})
    crawl.database.close()


@contextmanager
def recorder() -> Iterator[tuple[str, list[str]]]:
    """A proxy that answers nothing, and what it was asked for."""
    asked: list[str] = []

    class Proxy(Quiet):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_CONNECT = do_POST = do_GET

    with listening(Proxy) as server:
        yield f"http://127.0.0.1:{server.server_port}", asked


def browse(page: Path, proxy: str) -> tuple[str, Path]:
    """The page's markup as it has become in a browser, and a picture of it."""
    assert BROWSER is not None
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
    profile = (
        f"--user-data-dir={page.parent / 'profile'}",
        f"--proxy-server={proxy}",
        "--proxy-bypass-list=<-loopback>",
    )
    picture = page.with_suffix(".png")
    outputs = ("--dump-dom", f"--screenshot={picture}", "--window-size=1100,1400")
    done = subprocess.run(
        [BROWSER, *options, *profile, *outputs, page.as_uri()], capture_output=True, text=True, timeout=100, check=True
    )
    return done.stdout, picture


def test_titles_control_neither_text_nor_its_direction() -> None:
    markup = as_html(facts("\u202egnp.exe\x1b[2J"), "\u2066tea")
    assert not set("\u202e\x1b\u2066") & set(markup)
    assert "gnp.exe" in markup


@pytest.mark.skipif(BROWSER is None, reason="no chromium is installed here")
@pytest.mark.parametrize("guarded", [True, False], ids=["report", "control"])
def test_in_a_browser(tmp_path: Path, guarded: bool) -> None:
    """The control shows that the attack works where nobody guards against it."""
    page = tmp_path / "page.html"
    page.write_text(
        as_html(facts(ATTACK), ATTACK) if guarded else f"<meta charset=utf-8><title>{ATTACK}", encoding="utf-8"
    )
    with recorder() as (proxy, asked):
        markup, _ = browse(page, proxy)
    assert ("<title>owned" in markup) is not guarded
    assert any("evil.example" in address for address in asked) is not guarded
    if guarded:
        assert [address for address in asked if "example" in address] == []


@pytest.mark.skipif(BROWSER is None, reason="no chromium is installed here")
def test_it_looks_like_something(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(as_html(facts(), "All about tea"), encoding="utf-8")
    with recorder() as (proxy, _):
        markup, picture = browse(page, proxy)
    assert "绿茶的冲泡" in markup
    pixels = np.asarray(Image.open(picture).convert("RGB")) / 255
    assert (np.abs(pixels - BLUE).max(axis=2) < 0.02).mean() > 0.01, "no chart was drawn"
    assert (pixels.min(axis=2) > 0.9).mean() > 0.5, "not light"
