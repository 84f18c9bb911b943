"""From recorded pages to figures: what is counted, and from where."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import SettingError
from crawler.topic.files import Topic
from lab.errors import ReplayError
from lab.links.cache import Cache
from lab.links.compare import Comparison, Plan, Run, labelled_topics
from lab.links.labels import Labels
from lab.links.recorded import RecordedWeb
from lab.links.simulate import Pace
from lab.links.starts import FEW
from lab.links.topics import learned
from lab.links.views import Readings
from tests.lab.links.smallweb import POSTS, build

GARDENING = POSTS + 1  # posts, one of them linked from the tag page only


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(tmp_path)
    return tmp_path


@pytest.fixture
def readings(folder: Path) -> Iterator[Readings]:
    cache = Cache(folder / "cache")
    yield Readings(RecordedWeb.open(folder / "web"), cache, "plain")
    cache.close()


@pytest.fixture
def plan(folder: Path, readings: Readings) -> Plan:
    topic = learned(Topic.load("gardening", folder / "topics"), readings.web, "plain")
    return Plan(("bfs", "ipagerank-rwb", "oracle"), (topic,), Pace(budget=POSTS, slots=1))


def comparison(folder: Path, readings: Readings, plan: Plan, tell: list[str] | None = None) -> Comparison:
    labels = Labels.load(folder / "labels.jsonl", {"flowers": "gardening"})
    return Comparison(readings.web, labels, readings, plan, [].append if tell is None else tell.append)


def recalls(runs: list[Run]) -> dict[str, float]:
    return {run.scorer: run.recall(run.budget) for run in runs}


def test_the_topics_policy_finds_its_island_and_the_oracle_sees_at_once(
    folder: Path, readings: Readings, plan: Plan
) -> None:
    told: list[str] = []
    runs = list(comparison(folder, readings, plan, told).runs())
    assert [run.scorer for run in runs] == ["bfs", "ipagerank-rwb", "oracle"]
    assert {run.reachable for run in runs} == {GARDENING}
    found = recalls(runs)
    assert found["bfs"] < 0.5 < found["ipagerank-rwb"] <= found["oracle"]
    assert len(told) == 3
    again = list(comparison(folder, readings, plan).runs())  # from the cache
    assert [replace(run, seconds=0) for run in again] == [replace(run, seconds=0) for run in runs]


def test_without_tag_pages_what_only_they_lead_to_cannot_be_reached(
    folder: Path, readings: Readings, plan: Plan
) -> None:
    plan = replace(plan, tag_pages=False, pace=Pace(budget=99), scorers=("bfs",))
    (run,) = comparison(folder, readings, plan).runs()
    assert run.reachable == POSTS
    assert len(run.hits) == 2 * (1 + POSTS)
    assert run.recall(99) == 1.0
    assert run.harvest(99) == POSTS / 99


def test_few_seeds_are_drawn_anew_in_each_draw(folder: Path, readings: Readings, plan: Plan) -> None:
    plan = replace(plan, starts=FEW, draws=3, scorers=("bfs", "oracle"))
    runs = list(comparison(folder, readings, plan).runs())
    assert [(run.draw, run.scorer) for run in runs] == [(n, name) for n in range(3) for name in plan.scorers]
    assert all(sum(run.hits[:4]) >= 2 for run in runs)  # the two seeds that are posts


def test_labels_of_another_web(folder: Path, readings: Readings, plan: Plan) -> None:
    (folder / "labels.jsonl").write_text('{"url": "http://c.example/", "kind": "post", "topics": ["flowers"]}\n')
    other = comparison(folder, readings, plan)
    runs = list(other.runs())
    assert {run.reachable for run in runs} == {0}
    assert {run.unlabelled for run in runs} == {POSTS}
    with pytest.raises(ReplayError, match="give the labels of this web"):
        other.notes(runs)


def test_an_unknown_scorer(folder: Path, readings: Readings, plan: Plan) -> None:
    with pytest.raises(SettingError, match=r"no link scorer 'best'; use one of bfs, .*, oracle"):
        comparison(folder, readings, replace(plan, scorers=("best",)))


def test_a_page_of_two_addresses_is_harvest_once_and_costs_twice(folder: Path, readings: Readings, plan: Plan) -> None:
    (folder / "web/b-garden.example/index.html").write_text('<a href="/1">a</a><a href="/1.html">b</a>', "utf-8")
    (folder / "web/a-sport.example/index.html").write_text("nothing", "utf-8")
    (run,) = comparison(folder, readings, replace(plan, scorers=("bfs",))).runs()
    assert (len(run.hits), sum(run.hits), run.reachable) == (4, 1, 1)


@pytest.mark.parametrize(
    ("names", "wanted", "message"),
    [
        (["gardening"], ["sports"], "no post is labelled with sports; the labels name gardening"),
        (["sports"], [], "no post is labelled with any topic of the folder"),
    ],
)
def test_topics_that_nothing_is_labelled_with(folder: Path, names: list[str], wanted: list[str], message: str) -> None:
    labels = Labels.load(folder / "labels.jsonl", {"flowers": "gardening"})
    with pytest.raises(SettingError, match=message):
        labelled_topics(labels, names, wanted)


def test_no_labels(folder: Path) -> None:
    with pytest.raises(ReplayError, match="holds no label"):
        labelled_topics(Labels({}), ["gardening"], [])
