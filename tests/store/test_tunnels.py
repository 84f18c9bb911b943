"""Islands of pages on topic, joined by off-topic tunnels of one to three pages (papers.md 4.1), through the real
frontier, store and scorers.

    island 0 ──► tunnel of 1 ──► island 1          Each page of island 0 also leads to off-topic pages that lead to
             ──► tunnel of 2 ──► island 2          more of them, by links that look like those of the tunnels.
             ──► tunnel of 3 ──► island 3
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from crawler.database.database import Database
from crawler.frontier.frontier import SEED_SCORE, Frontier
from crawler.records import Analysis, Claim, Extraction, JudgedPage, Judgement, Link, Outcome, Outlink, Visit
from crawler.scorers.registry import scorer
from crawler.store.shared_store import store_for

ISLAND = 8  # pages
TUNNELS = (3, 2, 1)  # off-topic pages on the way to each island; the longest is found first
DECOYS = (3, 3, 1, 3)  # off-topic pages on each page of island 0, on each of those, and so on
FAINT, CLEAR = 0.12, 0.6  # relevance of the words of a link to an off-topic page, and to one on topic
SEA = "http://sea.example"  # all off-topic pages are here: an unknown host of their own would be worth a look
SEED = "http://start.example/0"
POLICIES = ("learned", "best-first", "ipagerank-rw", "ipagerank-rwb", "rwb")
WITH_A_PRICE = ("ipagerank-rw", "ipagerank-rwb", "rwb")  # from the start; `learned` learns it


@dataclass(slots=True)
class World:
    links: dict[str, list[str]] = field(default_factory=dict)
    on_topic: set[str] = field(default_factory=set)

    def island(self, name: str) -> list[str]:
        pages = [f"http://{name}.example/{n}" for n in range(ISLAND)]
        for place, page in enumerate(pages):
            self.links[page] = [pages[(place + 1) % ISLAND], pages[(place + 3) % ISLAND]]
        self.on_topic.update(pages)
        return pages

    def decoys(self, page: str, name: str, levels: tuple[int, ...]) -> None:
        if levels:
            for n in range(levels[0]):
                self.links.setdefault(page, []).append(f"{name}-{n}")
                self.decoys(f"{name}-{n}", f"{name}-{n}", levels[1:])


def world() -> World:
    made = World()
    start = made.island("start")
    for place, page in enumerate(start):
        made.decoys(page, f"{SEA}/{place}", DECOYS)
    for length in TUNNELS:
        tunnel = [f"{SEA}/tunnel{length}-{n}" for n in range(length)]
        made.links[start[0]].insert(0, tunnel[0])
        for page, following in zip(tunnel, [*tunnel[1:], made.island(f"island{length}")[0]], strict=True):
            made.links[page] = [following]
    return made


def visit(made: World, claim: Claim, at: float) -> Visit:
    links = made.links.get(claim.url, [])
    outlinks = tuple(
        Outlink(Link(url, "字", tag_path="html/body/p/a", position=place / len(links)), worth, worth, worth)
        for place, url in enumerate(links)
        for worth in [CLEAR if url in made.on_topic else FAINT]
    )
    if claim.url in made.on_topic:
        analysis = Analysis(Extraction("题", f"正文 {claim.url}"), Judgement(0.8, True, 0.3), outlinks, "zh")
        return Visit(claim, Outcome.KEPT, at, 200, analysis=analysis)
    analysis = Analysis(Extraction("题", f"别的 {claim.url}"), Judgement(0.05, False, 0.01), outlinks, "zh", 0.5)
    return Visit(claim, Outcome.OFF_TOPIC, at, 200, analysis=analysis)


def crawl(policy: str) -> list[Claim]:
    """The claims in their order, of half of the pages."""
    made, claims = world(), list[Claim]()
    budget = len({url for links in made.links.values() for url in links}) // 2
    with Database("sqlite://") as database:
        frontier = Frontier(database, "t")
        harvest = store_for(database)(database, frontier, scorer(policy))
        harvest.restore()
        frontier.seed([SEED], now=0.0)
        while len(claims) < budget and (claimed := frontier.claim(1, now=float(len(claims)))):
            claims += claimed
            harvest.commit([visit(made, claim, float(len(claims))) for claim in claimed])
    return claims


def first(claims: list[Claim], host: str) -> int:
    return next(place for place, claim in enumerate(claims) if claim.url.startswith(f"http://{host}.example/"))


@pytest.mark.parametrize("policy", POLICIES)
def test_shorter_tunnels_are_passed_first_and_all_islands_reached(policy: str) -> None:
    claims = crawl(policy)
    reached = [first(claims, f"island{length}") for length in (1, 2, 3)]
    assert reached == sorted(reached)
    kept = {claim.url for claim in claims} & world().on_topic
    assert kept == world().on_topic, "and harvested"


@pytest.mark.parametrize("policy", WITH_A_PRICE)
def test_the_price_grows_with_the_distance(policy: str) -> None:
    claims = [claim for claim in crawl(policy) if claim.score < SEED_SCORE]
    tunnel = {claim.distance: claim.score for claim in claims if claim.url.startswith(f"{SEA}/tunnel3-")}
    assert list(tunnel) == [0, 1, 2]
    assert tunnel[0] > tunnel[1] > tunnel[2]


def test_best_first_has_no_price_but_first_come_first_served() -> None:
    """A baseline of the field: every off-topic page's links are worth the same, however many went before it."""
    claims = crawl("best-first")
    tunnel = {claim.distance: claim.score for claim in claims if claim.url.startswith(f"{SEA}/tunnel3-")}
    assert tunnel[0] > tunnel[1] == tunnel[2]


def test_learned_learns_the_price() -> None:
    """Where pages on topic get rarer with the distance, so does what it expects of the links there."""
    chance, learner = random.Random(1), scorer("learned")
    for number in range(300):
        distance = number % 4
        parent = f"http://sea.example/{number}"
        found = [Outlink(Link(f"http://sea.example/{number}/{n}", "字"), FAINT, FAINT, FAINT) for n in range(4)]
        learner.observe(JudgedPage(parent, 0.05, False, 0.0, distance, distance, tuple(found), 0.5))
        for outlink in found:
            good = chance.random() < 0.8 * 0.4**distance
            learner.observe(JudgedPage(outlink.link.url, 0.9 if good else 0.05, good, 0.1, distance + 1, 0, (), 1.0))
    scores = []
    for distance in range(4):
        new = Outlink(Link(f"http://sea.example/new/{distance}", "字"), FAINT, FAINT, FAINT)
        told = learner.observe(JudgedPage("http://sea.example/last", 0.05, False, 0.0, 1, distance, (new,), 0.5))
        scores.append(told[new.link.url])
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[3] + 0.02
