"""Tables of a study's runs."""

from dataclasses import replace

from lab.links import tables
from lab.links.compare import Run

GOOD, BAD = (True, True, False, True), (False, False, False, True)


def run(scorer: str, topic: str, hits: tuple[bool, ...], draw: int = 0) -> Run:
    return Run(scorer, topic, draw, 4, 4, hits, (True, False, False, True), 1, 0.5)


RUNS = [run("one", "a", GOOD), run("two", "a", BAD), run("one", "b", BAD), run("two", "b", BAD)]


def test_what_a_run_tells() -> None:
    good = run("one", "a", GOOD)
    assert [good.harvest(n) for n in (1, 2, 4)] == [1.0, 1.0, 0.75]
    assert [good.recall(n) for n in (1, 2, 4)] == [0.25, 0.5, 0.75]
    assert good.right == 1.0
    assert run("one", "a", (True,)).harvest(4) == 0.25  # it ended early


def test_tables() -> None:
    lines = tables.scorers(RUNS).splitlines()
    assert lines[0].startswith("| scorer | harvest at 2 | at 4 | recall at 4 |")
    assert lines[2].startswith("| `one` | 0.500 ± 6.353 | 0.500 ± 3.177 | 0.500 ± 3.177 |")  # t(1) = 12.706
    assert lines[3].startswith("| `two` | 0.000 ± 0.000 | 0.250 ± 0.000 |")
    assert tables.topics(RUNS).splitlines()[2] == "| `one` | 0.750 | 0.250 |"
    assert "| `one` | 0.500 ± 6.353 | +0.000 b | 0.250 ± 3.177 | +0.000 b |" in tables.against(RUNS, "two")
    some = [replace(each, expected=2.0) for each in RUNS]
    assert tables.left(some).splitlines()[2] == "| `one` | 2 | 2 | 1.333 ± 8.471 | 0.667 ± 4.235 | 0 | 1.000 |"
