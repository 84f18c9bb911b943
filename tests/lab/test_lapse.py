"""A year in miniature: two hosts, one that publishes on the topic and one that does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from crawler.database.database import Database
from crawler.topic.files import Topic
from lab.lapse.corpus import Corpus
from lab.lapse.policies import ORACLE, OWN, SIMPLE, policy
from lab.lapse.truth import Truth
from lab.lapse.web import DailyWeb
from lab.lapse.year import Crawl, Year, first_harvest
from lab.links.cache import Cache
from lab.links.topics import learned
from lab.links.views import Readings, Views
from tests.crawl.test_revisiting import garden, post
from tests.lab.links.smallweb import OTHER, TOPIC, markup
from tests.lab.replay.lapsed import write

GARDEN, SPORT, DOWN = "b-garden.example", "a-sport.example", "down.example"
DAYS = 30
NEW = [8, 12, 16, 20, 24]  # days on which the garden publishes
LEAVES = 10  # day on which a post of the garden gets another address


@pytest.fixture
def lapse(tmp_path: Path) -> Path:
    posts = [1, 2, 3]
    homes = [(0.0, garden(posts))]
    states: dict[str, list[tuple[float, str | None]]] = {f"{GARDEN}/{n}.html": [(0.0, post(n))] for n in posts}
    labels = [label(GARDEN, n, 0.0, []) for n in posts]
    states[f"{GARDEN}/1.html"].append((5.0, post(1, "到了冬天要移到屋里，少浇水，别受冻。")))
    labels[0]["changes_text"] = [5.0]
    for n in NEW:
        states[f"{GARDEN}/{n}.html"] = [(n - 0.5, post(n))]
        homes.append((n - 0.5, garden([*posts, *(other for other in NEW if other <= n)])))
        labels.append(label(GARDEN, n, n - 0.5, ["flowers"]))
    states[f"{GARDEN}/3.html"].append((float(LEAVES), None))
    states[f"{GARDEN}/moved.html"] = [(float(LEAVES), post(3))]
    moved = label(GARDEN, 0, float(LEAVES), [])
    labels.append({**moved, "url": f"http://{GARDEN}/moved.html", "moved_from": "3.html"})
    last = ("</ul>", f'<li><a href="/moved.html">阳台园艺</a></li><li><a href="http://{DOWN}/">别处</a></li></ul>')
    homes = [(day, page.replace(*last) if day > LEAVES else page) for day, page in homes]
    states[f"{GARDEN}/index.html"] = list(homes)
    sport = [("/1.html", "球赛之一"), ("/2.html", "球赛之二")]
    states[f"{SPORT}/index.html"] = [(float(n), markup("体育", f"第{n}天", sport)) for n in range(DAYS)]
    states |= {SPORT + href: [(0.0, markup(title, OTHER, []))] for href, title in sport}
    folder = write(tmp_path / "lapse", states)
    lines = "".join(json.dumps(row) + "\n" for row in labels)
    (folder / "labels.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    return folder


def label(host: str, n: int, day: float, topics: list[str]) -> dict[str, object]:
    first = {"is_post": True, "initial": day <= 0, "first_day": day, "last_day": 365.0, "topics": topics}
    return {"host": host, "url": f"http://{host}/{n}.html", "changes_text": [], "refresh": 0, **first}


@pytest.fixture
def year(lapse: Path, tmp_path: Path) -> Iterator[object]:
    web = DailyWeb(lapse, tmp_path / "store")
    truth = Truth(lapse, {"flowers": "gardening"}, web.hosts)
    (tmp_path / "gardening.toml").write_text(TOPIC, encoding="utf-8")
    with closing(Cache(tmp_path / "cache")) as cache:
        views = Views(Readings(web, cache, "plain"), learned(Topic.load("gardening", tmp_path), web, "plain"))
        store = tmp_path / "first.db"
        kept, visited, size = first_harvest(store, web, views, truth, 100)
        assert len(kept) == 3
        assert size > 0

        def run(name: str, budget: int) -> Year:
            with Database(f"sqlite:///{store}") as database:
                crawl = Crawl(database, web, views, truth)
                crawl.go_on(kept, visited)
                corpus = Corpus(database, "gardening", tmp_path)
                for day in range(1, DAYS):
                    crawl.day(day, budget, policy(name, truth, "gardening"))
                    assert not budget or corpus.follow(), (day, "increments make the export")
                return crawl.year

        yield run


@pytest.mark.parametrize(("name", "least"), [(OWN, 4), (ORACLE, 5)])
def test_new_posts_are_found(year, name: str, least: int) -> None:
    found = year(name, 2)
    days = [day - (n - 0.5) for n in NEW if (day := found.found.get(f"http://{GARDEN}/{n}.html")) is not None]
    assert len(days) >= least
    assert min(days) >= 0.0
    assert found.requests <= 2 * DAYS
    if name == ORACLE:
        assert max(days) <= 1.0


@pytest.mark.parametrize("name", SIMPLE)
def test_simple_policies_keep_to_the_budget(year, name: str) -> None:
    found = year(name, 3)
    assert found.requests <= 3 * DAYS
    assert 0.0 <= found.fresh <= found.kept


def test_without_requests_what_has_changed_is_not_fresh(year) -> None:
    found = year(OWN, 0)
    assert (found.requests, found.found) == (0, {})
    assert found.kept == found.kept_first == 3 * (DAYS - 1)
    assert found.kept - found.fresh == DAYS - 5 + DAYS - LEAVES, "one page from day 5 on, one that has left"


def test_pages_that_leave_their_address_are_dead_in_the_export_until_it_is_known(year) -> None:
    found = year(OWN, 0)
    assert found.dead == DAYS - LEAVES, "nobody looked"
    assert list(found.moves.values()) == [None]
    seen = year(OWN, 5)
    assert 0 < seen.dead < found.dead
    [(move, day)] = seen.moves.items()
    assert (move.old, move.new) == (f"http://{GARDEN}/3.html", f"http://{GARDEN}/moved.html")
    assert day is not None
    assert day > LEAVES


def test_a_host_that_does_not_answer_costs_no_request_but_its_robots_txt(year) -> None:
    found = year(OWN, 5)
    assert found.failed == 1, "one try of a host that has never answered"
    assert 0 < found.side - found.failed <= 2 * (DAYS + 2 * 5), "robots.txt once a day, the other two once a week"
