"""What a link scorer costs while a million URLs wait: the commit of a page, and the worst one.

    python -m lab.benchmarks.rescoring --scorer learned --urls 1000000
    python -m lab.benchmarks.rescoring --scorer ipagerank-rwb best-first --urls 100000
    python -m lab.benchmarks.rescoring --ipagerank

Pages of 43 hosts are fed to scorer and frontier (SQLite in a temporary file) until so many URLs wait, with the links of
400 new addresses each; then pages of 57 links, half of them new, are committed one by one, as the store thread does:
CPU of this process for the scorer alone and for the whole commit. Posts of every
fifth host are mostly on topic. --ipagerank: one ranking of 100,000 pages and 1,000,000 links, its CPU and memory.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Mapping
from pathlib import Path

from crawler.database.database import Database
from crawler.frontier.frontier import Frontier
from crawler.frontier.new_urls import NewUrl
from crawler.records import Analysis, Claim, Ended, Extraction, JudgedPage, Judgement, Link, Outcome, Outlink, Visit
from crawler.scorers.base import LinkScorer
from crawler.scorers.papers.ipagerank import IPageRankRW
from crawler.scorers.registry import SCORERS, scorer
from crawler.settings import LINK_SCORER
from crawler.store.shared_store import store_for

LINKS = 57  # of a page, the median of the recorded web
LINKS_FED = 400  # of a page while the frontier is filled
HOSTS = 43
WORDS = [
    "机器学习",
    "数据",
    "模型",
    "训练",
    "网络",
    "容器",
    "部署",
    "组件",
    "复杂度",
    "证明",
    "漏洞",
    "线程",
    "随笔",
    "归档",
]
PATHS = [f"html/body/div/{part}/a" for part in ("ul/li", "div/h2", "div/p", "nav/ul/li", "footer/p", "aside/ul/li")]
PAGES = 100_000  # of the ranking by IPageRank
CLOSED = 20_000  # of them fetched and on topic
LINKS_A_PAGE = 50


class Stopwatch(LinkScorer):
    """Passes everything on to a scorer, and counts its CPU seconds."""

    def __init__(self, inner: LinkScorer) -> None:
        self.inner = inner
        self.seconds = 0.0

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        start = time.process_time()
        told = self.inner.observe(page)
        self.seconds += time.process_time() - start
        return told

    def observe_end(self, ended: Ended) -> None:
        self.inner.observe_end(ended)

    def refresh(self) -> Mapping[str, float]:
        start = time.process_time()
        told = self.inner.refresh()
        self.seconds += time.process_time() - start
        return told


class MadeUpWeb:
    """As many made-up pages as are asked for."""

    def __init__(self) -> None:
        self._chance = random.Random(1)
        self._made = 0
        self._old: list[str] = []  # addresses that more pages link to
        self._found: list[str] = []  # some that may be fetched while the frontier is filled

    def known(self) -> str:
        """An address that was found before: its page teaches the scorer what such links are worth."""
        return self._found.pop() if self._found else "https://www.site0.example/p/"

    def outlinks(self, new: int, known: int) -> tuple[Outlink, ...]:
        chance = self._chance
        urls = [self._new_url() for _ in range(new)] + chance.sample(self._old, min(known, len(self._old)))
        last = max(1, len(urls) - 1)
        return tuple(self._outlink(url, place / last) for place, url in enumerate(urls))

    def _new_url(self) -> str:
        self._made += 1
        number, chance = self._made, self._chance
        folder = chance.choice(("posts", "tags", "archive", "2026/03", "p"))
        url = f"https://www.site{chance.randrange(HOSTS)}.example/{folder}/{number:07d}.html"
        if chance.random() < 0.02:
            self._old.append(url)
        elif chance.random() < 0.01:
            self._found.append(url)
        return url

    def _outlink(self, url: str, position: float) -> Outlink:
        chance = self._chance
        relevance = chance.random() ** (2 if good(url) else 8)
        link = Link(
            url, "".join(chance.choices(WORDS, k=3)), tag_path=chance.choice(PATHS), position=round(position, 3)
        )
        return Outlink(link, relevance, relevance, relevance * chance.random())

    def judgement(self, url: str) -> Judgement:
        similarity = self._chance.random() ** (1 if good(url) else 8)
        return Judgement(similarity, similarity >= 0.3, similarity / 3)

    def page(self, url: str, new: int) -> JudgedPage:
        says = self.judgement(url)
        post = self._chance.random()
        return JudgedPage(url, says.similarity, says.on_topic, says.text_relevance, 2, 1, self.outlinks(new, 0), post)


def good(url: str) -> bool:
    """Whether the page is mostly on topic: the posts of every fifth host are. Words tell it, but not with certainty."""
    host, folder = url.removeprefix("https://www.site").split("/")[:2]
    return int(host.partition(".")[0]) % 5 == 0 and folder in ("posts", "p")


def fill(web: MadeUpWeb, frontier: Frontier, learner: LinkScorer, urls: int) -> None:
    """Fills scorer and frontier until `urls` URLs wait; nothing is stored."""
    start = time.perf_counter()
    for _ in range(urls // LINKS_FED):
        page = web.page(web.known(), LINKS_FED)
        told = learner.observe(page)
        frontier.add([NewUrl(url, score, 3, 0) for url, score in told.items()], now=0.0)
        learner.refresh()
    seconds = time.perf_counter() - start
    print(f"fill    {urls:,} URLs in {seconds:.0f} s, {1e6 * seconds / urls:.1f} us a URL", flush=True)


def visit(claim: Claim, web: MadeUpWeb) -> Visit:
    judged = web.judgement(claim.url)
    outlinks = web.outlinks(LINKS // 2 + 1, LINKS // 2)
    analysis = Analysis(Extraction("题目", "正文" * 500 + claim.url), judged, outlinks, "zh", 0.7)
    outcome = Outcome.KEPT if judged.on_topic else Outcome.OFF_TOPIC
    return Visit(claim, outcome, time.time(), 200, size=20_000, analysis=analysis)


def measure(name: str, urls: int, pages: int) -> None:
    web, learner = MadeUpWeb(), Stopwatch(scorer(name))
    type(learner).name = name
    with tempfile.TemporaryDirectory() as folder, Database(f"sqlite:///{Path(folder) / 'harvest.db'}") as database:
        frontier = Frontier(database, "benchmark")
        fill(web, frontier, learner, urls)
        harvest = store_for(database)(database, frontier, learner)
        whole, own, waited = [], [], []
        for number in range(pages):
            [claim] = frontier.claim(1, now=1e9 + number)
            made = visit(claim, web)
            learner.seconds, start, clock = 0.0, time.process_time(), time.perf_counter()
            harvest.commit([made])
            whole.append(time.process_time() - start)
            waited.append(time.perf_counter() - clock)
            own.append(learner.seconds)
    _tell(f"{name:14} scorer", own)
    _tell(f"{name:14} commit", whole)
    _tell(f"{name:14} wall", waited)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory  {peak:,.0f} MB of this process at most, with {urls:,} URLs waiting", flush=True)


def _tell(what: str, seconds: list[float]) -> None:
    ms = sorted(1e3 * value for value in seconds)
    late = ms[int(0.99 * len(ms))]
    print(
        f"{what}  {statistics.fmean(ms):6.2f} ms a page, median {statistics.median(ms):6.2f},"
        f" 99 of 100 below {late:6.1f}, worst {ms[-1]:6.1f}",
        flush=True,
    )


def ranking() -> None:
    learner = _unranked()
    start = time.process_time()
    told = learner.refresh()
    seconds = time.process_time() - start
    links = CLOSED * LINKS_A_PAGE
    print(f"IPageRank  {PAGES:,} pages, {links:,} links ranked in {seconds:.3f} s CPU, the best {len(told)} told")
    tracemalloc.start()
    learner = _unranked()
    kept, _ = tracemalloc.get_traced_memory()
    learner.refresh()
    _, peak = tracemalloc.get_traced_memory()
    print(
        f"memory  {kept / links:.0f} bytes a link, pages and their addresses included; {peak / links:.0f} while ranking"
    )


def _unranked() -> IPageRankRW:
    """A fifth of the pages are in the closed set, the others wait."""
    chance = random.Random(2)
    learner = IPageRankRW()
    for number in range(CLOSED):
        links = tuple(
            Outlink(Link(f"https://site{to % HOSTS}.example/{to}"), 0.5, 0.5, chance.random())
            for to in chance.sample(range(PAGES), LINKS_A_PAGE)
        )
        url = f"https://site{number % HOSTS}.example/{number}"
        learner.observe(JudgedPage(url, chance.random(), True, 0.1, 1, 0, links))
    return learner


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scorer", nargs="*", default=[LINK_SCORER], choices=SCORERS, metavar="NAME")
    parser.add_argument("--urls", type=int, default=1_000_000, help="waiting URLs (default: %(default)s)")
    parser.add_argument("--pages", type=int, default=500, help="commits that are measured (default: %(default)s)")
    parser.add_argument("--ipagerank", action="store_true", help="only a ranking by IPageRank")
    options = parser.parse_args()
    if options.ipagerank:
        ranking()
        return
    for name in options.scorer:
        measure(name, options.urls, options.pages)


if __name__ == "__main__":
    main()
