"""The simulated crawl: the real frontier's order, budget, redirects and retries, and what a scorer is told."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import pytest

from crawler.reasons import Code, Reason
from crawler.records import Analysis, Ended, Extraction, JudgedPage, Judgement, Link, Outlink
from crawler.scorers.base import LinkScorer
from crawler.scorers.simple import BreadthFirst
from lab.links.simulate import CrawledPage, Pace, See, simulate
from lab.links.views import View

ONE_BY_ONE = Pace(budget=99, slots=1)
HOST = "http://a.example/"
MISSING = View(404)


def web(pages: Mapping[str, View]) -> Callable[[str], View]:
    return lambda url, _index_file: pages.get(url.removeprefix(HOST), MISSING)


def url(name: str) -> str:
    return name if "://" in name else HOST + name


def page(*targets: str, on_topic: bool = False, body: str = "text") -> View:
    outlinks = tuple(Outlink(Link(url(target)), 0.0) for target in targets)
    return View(200, True, analysis=Analysis(Extraction("title", body), Judgement(0.5, on_topic), outlinks))


def moved(target: str, status: int = 301) -> View:
    return View(status, is_html=status == 200, target=url(target))


def crawl(see: See, scorer: LinkScorer, seeds: Iterable[str], pace: Pace, draw: int = 0) -> tuple[CrawledPage, ...]:
    return simulate(see, scorer, seeds, pace, draw).pages


def order(pages: Mapping[str, View], seeds: str = "s", pace: Pace = ONE_BY_ONE) -> list[str]:
    return [one.url.removeprefix(HOST) for one in crawl(web(pages), BreadthFirst(), map(url, seeds.split()), pace)]


def test_breadth_first_takes_level_by_level_in_order_of_sight() -> None:
    pages = {"s": page("b", "a"), "b": page("d"), "a": page("c"), "c": page(), "d": page()}
    assert order(pages) == ["s", "b", "a", "d", "c"]


def test_missing_pages_cost_nothing_and_the_budget_ends_it() -> None:
    pages = {"s": page("gone", "a", "b"), "a": page(), "b": page()}
    assert order(pages, pace=replace(ONE_BY_ONE, budget=2)) == ["s", "a"]


def test_a_redirect_costs_nothing_and_a_stub_that_refreshes_is_a_page() -> None:
    assert order({"s": moved("t"), "t": moved("u", 200), "u": page("s")}) == ["t", "u"]


def test_what_costs_nothing() -> None:
    forbidden, image = View(reason=Reason(Code.ROBOTS)), View(200)
    assert order({"s": page("f", "i", "a"), "f": forbidden, "i": image, "a": page()}) == ["s", "a"]


def test_a_page_that_could_not_be_analysed_costs_one() -> None:
    broken = View(200, True, reason=Reason(Code.DIED))
    assert order({"s": page("b", "a"), "b": broken, "a": page()}) == ["s", "b", "a"]


@pytest.mark.parametrize("target", ["s", "t"])
def test_redirects_in_a_circle_end(target: str) -> None:
    assert order({"s": moved(target), "t": moved("s")}) == []


def test_every_address_once() -> None:
    assert order({"s": page("a", "a", "s"), "a": page("s")}, seeds="s a s") == ["s", "a"]


def test_a_single_seed_without_links() -> None:
    assert order({"s": page()}) == ["s"]


def test_a_failed_page_is_asked_for_again_after_its_rest() -> None:
    asked: list[str] = []

    def see(url: str, _index_file: str) -> View:
        asked.append(url)
        return page() if len(asked) > 2 else View(503)

    fetched = crawl(see, BreadthFirst(), [url("s")], ONE_BY_ONE)
    assert len(asked) == 3
    assert fetched[0].at > 4 + 8  # seconds: frontier.politeness.URL_REST, doubled


def test_a_dead_host_is_given_up() -> None:
    assert order({"s": page("http://dead.example/1", "a"), "http://dead.example/1": View(502), "a": page()}) == [
        "s",
        "a",
    ]


def test_a_delay_takes_simulated_time() -> None:
    pages = {"s": page("a", "b"), "a": page(), "b": page()}
    fetched = crawl(web(pages), BreadthFirst(), [url("s")], Pace(delay=5.0, per_host=1))
    assert [round(page.at) // 5 for page in fetched] == [0, 1, 2]


def test_many_under_way_at_once_are_chosen_before_the_first_is_known() -> None:
    pages = {"s1": page("x", on_topic=True), "s2": page(), "s3": page(), "x": page()}
    seeds = list(map(url, ("s1", "s2", "s3")))
    deep = {url("s1"): 0.0, url("s2"): 0.0, url("s3"): 0.0, url("x"): 9.0}
    fetched = crawl(web(pages), Fixed(deep), seeds, Pace(slots=3))
    assert [page.url for page in fetched] == [*seeds, url("x")]
    assert [page.kept for page in fetched] == [True, False, False, False]


def test_the_same_draw_gives_the_same_crawl() -> None:
    pages = {"s": page(*"abcdefgh")} | {name: page(f"{name}1", f"{name}2") for name in "abcdefgh"}
    crawls = [crawl(web(pages), BreadthFirst(), [url("s")], Pace(), draw) for draw in (0, 0, 1)]
    assert crawls[0] == crawls[1]
    assert crawls[0] != crawls[2]


def test_a_page_on_topic_without_a_body_is_not_kept() -> None:
    pages = {"s": page("a", on_topic=True, body=""), "a": page(on_topic=True)}
    fetched = crawl(web(pages), BreadthFirst(), [url("s")], ONE_BY_ONE)
    assert [page.kept for page in fetched] == [False, True]


class Fixed(LinkScorer):
    name = "fixed"

    def __init__(self, scores: Mapping[str, float]) -> None:
        self.scores = scores

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        return {outlink.link.url: self.scores[outlink.link.url] for outlink in page.outlinks}


class Recorder(LinkScorer):
    """Scores against the alphabet until its mind changes."""

    name = "recorder"

    def __init__(self) -> None:
        self.pages: list[JudgedPage] = []
        self.forgotten: list[str] = []

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        self.pages.append(page)
        urls = [outlink.link.url for outlink in page.outlinks]
        return {url: float(ord(url[-1])) for url in urls if not url.endswith("x")}

    def observe_end(self, ended: Ended) -> None:
        self.forgotten.append(ended.url)

    def refresh(self) -> Mapping[str, float]:
        return {url("a"): 1000.0, url("never-seen"): 2000.0} if len(self.pages) == 2 else {}


def test_scores_change_left_out_links_are_not_followed_and_the_rest_is_told() -> None:
    pages = {"s": page("a", "b", "c", "x", "m"), "c": page(on_topic=True), "x": page(), "a": page("d"), "b": page()}
    scorer = Recorder()
    fetched = crawl(web({**pages, "d": page()}), scorer, [url("s")], ONE_BY_ONE)
    assert [(one.url, one.kept) for one in fetched] == [(url(name), name == "c") for name in "scadb"]
    assert scorer.forgotten == [url("m")]
    assert [(seen.url[-1], seen.depth, seen.distance) for seen in scorer.pages] == [
        ("s", 0, 0),
        ("c", 1, 1),
        ("a", 1, 1),
        ("d", 2, 2),
        ("b", 1, 1),
    ]
