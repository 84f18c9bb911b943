"""The contract of crawler.scorers.base, over every registered scorer."""

import math
import random
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

import pytest

from crawler.errors import SettingError
from crawler.records import Ended, JudgedPage, Link, Outcome, Outlink
from crawler.scorers.base import LinkScorer
from crawler.scorers.learned import ipagerank
from crawler.scorers.papers import ranked
from crawler.scorers.registry import SCORERS, scorer
from crawler.settings import LINK_SCORER

EXPLAINED = 20
PAGES = 40  # enough for a fit of the models, and for two rankings of the graph after
RANK_EVERY = 10  # pages on topic
DROPPING = {"bfs-depth", "bfs-filter"}  # leave out links on purpose


def outlink(url: str, relevance: float = 0.0, anchor: float = 0.0, noise: bool = False) -> Outlink:
    updated = 1.6e9 + zlib.crc32(url.encode()) % 100_000_000 if url.endswith(("0", "5")) else None
    return Outlink(Link(url, noise=noise, updated=updated), relevance, anchor, relevance)


def page(url: str, *outlinks: Outlink, nearness: float = 0.5, depth: int = 0, distance: int = 0) -> JudgedPage:
    return JudgedPage(url, nearness, nearness >= 0.3, nearness / 2, depth, distance, outlinks)


def crawl(pages: int = PAGES, links: int = 20, seed: int = 1) -> list[JudgedPage]:
    """A random web in the order of some crawl; two thirds of its pages are on topic."""
    chance = random.Random(seed)
    return [
        page(
            f"http://h{n % 7}.example/{n}",
            *(
                outlink(f"http://h{to % 7}.example/{to}", chance.random(), chance.random(), chance.random() < 0.1)
                for to in chance.sample(range(3 * pages), links)
            ),
            nearness=chance.random(),
            depth=n // 20,
            distance=chance.randrange(3),
        )
        for n in range(pages)
    ]


def run(made: LinkScorer, pages: list[JudgedPage]) -> list[dict[str, float]]:
    told = []
    for judged in pages:
        told += [dict(made.observe(judged)), dict(made.refresh())]
    return told


@pytest.fixture(params=SCORERS)
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> LinkScorer:
    for module in (ranked, ipagerank):
        monkeypatch.setattr(module, "RANK_EVERY", RANK_EVERY)
    return scorer(request.param)


def test_names() -> None:
    assert {name: scorer(name).name for name in SCORERS} == {name: name for name in SCORERS}
    assert {"bfs", "rw", "ipagerank-rw", "ipagerank-rwb"} <= SCORERS.keys()
    assert LINK_SCORER in SCORERS, "the setting's default"


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(SettingError, match=r"'pagerang'.*bfs, .*rw, .*ipagerank-rwb"):
        scorer("pagerang")


def test_every_outlink_gets_a_finite_score(made: LinkScorer) -> None:
    fetched: set[str] = set()
    for judged in crawl():
        fetched.add(judged.url)
        told = made.observe(judged)
        if made.name not in DROPPING:
            assert {found.link.url for found in judged.outlinks} - fetched <= told.keys()
        assert all(math.isfinite(score) for score in [*told.values(), *made.refresh().values()])


def test_the_same_pages_give_the_same_scores(made: LinkScorer) -> None:
    pages = crawl()
    assert run(made, pages) == run(scorer(made.name), pages)


def test_whoever_does_the_heavy_work_the_scores_are_the_same(made: LinkScorer) -> None:
    pages = crawl()
    with ThreadPoolExecutor(1) as pool:
        made.work_with(pool.submit)
        assert run(made, pages) == run(scorer(made.name), pages)


def test_the_parts_make_up_the_score(made: LinkScorer) -> None:
    """Of one URL in EXPLAINED, at each page others."""
    for number, judged in enumerate(crawl()):
        for told in (made.observe, lambda _: made.refresh()):
            for url, score in islice(told(judged).items(), number % EXPLAINED, None, EXPLAINED):
                parts = made.explain(url, judged)
                assert sum(part.value for part in parts if not part.of) == pytest.approx(score, abs=1e-6), parts
                names = [part.name for part in parts if not part.of]
                assert {part.of for part in parts if part.of} <= set(names)
    assert not made.explain("http://never.seen.example/", page("http://a.example/")) or made.name.startswith("bfs")


def test_refresh_speaks_of_waiting_urls_only(made: LinkScorer) -> None:
    pages = crawl()
    seen: set[str] = set()
    fetched: set[str] = set()
    for judged in pages:
        seen |= made.observe(judged).keys()
        fetched.add(judged.url)
        assert made.refresh().keys() <= seen - fetched


def test_a_page_without_links(made: LinkScorer) -> None:
    assert not made.observe(page("http://a.example/"))
    assert not made.refresh()


def test_a_page_that_links_only_to_itself_and_to_noise(made: LinkScorer) -> None:
    told = made.observe(page("http://a.example/", outlink("http://a.example/", 1.0), outlink("n", 1.0, noise=True)))
    assert math.isfinite(told["n"])
    run(made, crawl())


def test_a_page_seen_again_and_doubled_links(made: LinkScorer) -> None:
    again = page("http://a.example/", outlink("http://b.example/", 0.5), outlink("http://b.example/", 0.4))
    run(made, [again, again])


def test_a_url_that_ended(made: LinkScorer) -> None:
    made.observe(page("http://a.example/", outlink("http://b.example/", 0.5)))
    made.observe_end(Ended("http://b.example/", Outcome.FAILED))
    made.observe_end(Ended("http://never.seen.example/", Outcome.REDIRECT))
    assert all("http://b.example/" not in told for told in run(made, crawl())[1::2])


def test_of_a_page_that_is_learned_again_the_new_links_alone_are_scored(made: LinkScorer) -> None:
    pages = crawl()
    run(made, pages)
    new = "http://h1.example/published/today"
    again = replace(page(pages[0].url, outlink(new, 0.9, 0.9), nearness=0.9), again=True)
    told = made.observe(again)
    if made.name not in DROPPING:
        assert math.isfinite(told[new])
        assert 0.0 <= made.chance(new, told[new]) <= 1.0
    assert told.keys() <= {new}
    assert made.chance("http://h1.example/never/seen", 0.0) == 0.0
