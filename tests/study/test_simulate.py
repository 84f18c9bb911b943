"""The simulated crawl: order, budget, redirects, and what a scorer is told."""

from collections.abc import Callable, Mapping

from crawler.records import JudgedPage, Judgement, Link, Outlink
from crawler.scorers.base import LinkScorer
from crawler.scorers.bfs import BreadthFirst
from crawler.study.simulate import simulate
from crawler.study.views import View


def web(pages: dict[str, View]) -> Callable[[str], View]:
    return lambda url: pages.get(url, View(is_page=False))


def page(*targets: str, on_topic: bool = False) -> View:
    return View(True, "", Judgement(0.5, on_topic), tuple(Outlink(Link(target), 0.0) for target in targets))


def order(pages: dict[str, View], budget: int = 99, seeds: tuple[str, ...] = ("s",)) -> list[str]:
    return [url for url, _ in simulate(web(pages), BreadthFirst(), seeds, budget)]


def test_breadth_first_takes_level_by_level_in_order_of_sight() -> None:
    pages = {"s": page("b", "a"), "b": page("d"), "a": page("c"), "c": page(), "d": page()}
    assert order(pages) == ["s", "b", "a", "d", "c"]


def test_missing_pages_cost_nothing_and_the_budget_ends_it() -> None:
    pages = {"s": page("gone", "a", "b"), "a": page(), "b": page()}
    assert order(pages, budget=2) == ["s", "a"]


def test_a_redirect_costs_nothing_and_a_stub_that_refreshes_is_a_page() -> None:
    pages = {"s": View(False, "t"), "t": View(True, "u"), "u": page("s")}
    assert order(pages) == ["t", "u"]


def test_redirects_in_a_circle_end() -> None:
    assert order({"s": View(False, "t"), "t": View(False, "s")}) == []


def test_every_address_once() -> None:
    assert order({"s": page("a", "a", "s"), "a": page("s")}, seeds=("s", "a", "s")) == ["s", "a"]


class Recorder(LinkScorer):
    """Scores against the alphabet until its mind changes."""

    name = "recorder"

    def __init__(self) -> None:
        self.pages: list[JudgedPage] = []
        self.forgotten: list[str] = []

    def observe(self, page: JudgedPage) -> Mapping[str, float]:
        self.pages.append(page)
        return {outlink.link.url: float(ord(outlink.link.url)) for outlink in page.outlinks if outlink.link.url != "x"}

    def forget(self, url: str) -> None:
        self.forgotten.append(url)

    def refresh(self) -> Mapping[str, float]:
        return {"a": 1000.0, "never seen": 2000.0} if len(self.pages) == 2 else {}


def test_scores_change_left_out_links_are_not_followed_and_the_rest_is_told() -> None:
    pages = {"s": page("a", "b", "c", "x", "m"), "c": page(on_topic=True), "x": page(), "a": page("d"), "b": page()}
    scorer = Recorder()
    fetched = simulate(web({**pages, "d": page()}), scorer, ["s"], 99)
    assert fetched == [("s", False), ("c", True), ("a", False), ("d", False), ("b", False)]
    assert scorer.forgotten == ["m"]
    assert [(seen.url, seen.depth, seen.distance) for seen in scorer.pages] == [
        ("s", 0, 0),
        ("c", 1, 1),
        ("a", 1, 1),
        ("d", 2, 2),
        ("b", 1, 1),
    ]
