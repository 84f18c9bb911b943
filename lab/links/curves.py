"""The figures of a study as files: CSV for further calculation, and curves of harvest and recall as SVG."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from crawler.errors import ExportError
from lab.links.compare import Run
from lab.links.judge_quality import Quality
from lab.links.metrics import mean_of
from lab.links.tables import by_scorer, by_topic

STEPS = 100  # points of a curve
COLOURS, DASHES = 10, ("-", "--", ":")  # matplotlib's own colours; dashes when they are used up
SIZE = (9.0, 5.2)  # inches


@dataclass(frozen=True, slots=True)
class Curve:
    """One scorer after so many pages: means over topics and draws."""

    scorer: str
    pages: tuple[int, ...]
    harvest: tuple[float, ...]
    recall: tuple[float, ...]


def curves(runs: Sequence[Run]) -> list[Curve]:
    """The mean over topics of the means over draws."""
    pages = points(runs[0].budget)
    found = []
    for name, group in by_scorer(runs):
        topics = by_topic(group)
        harvest = (mean_of([[run.harvest(n) for run in topic] for topic in topics]).value for n in pages)
        recall = (mean_of([[run.recall(n) for run in topic] for topic in topics]).value for n in pages)
        found.append(Curve(name, pages, tuple(harvest), tuple(recall)))
    return found


def points(budget: int) -> tuple[int, ...]:
    """Numbers of pages, the budget last."""
    step = max(1, budget // STEPS)
    return (*range(step, budget, step), budget)


def need_charts() -> None:
    """Raises ExportError when matplotlib is missing: a study takes hours, so this is asked at its beginning."""
    if find_spec("matplotlib") is None:
        raise ExportError("--out: the curves need matplotlib, which is not here; install it: pip install '.[lab]'")


def write(directory: Path, runs: Sequence[Run], qualities: Sequence[Quality]) -> list[Path]:
    """Writes all files and returns their paths. Raises ExportError when the folder cannot be written to."""
    found = curves(runs)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        return [
            _table(directory / "runs.csv", RUN, (_run(run) for run in runs)),
            _table(directory / "curves.csv", CURVE, (row for run in runs for row in _curve(run))),
            _table(directory / "means.csv", MEAN, (row for curve in found for row in _mean(curve))),
            _table(directory / "judge.csv", JUDGE, (_judge(one) for one in qualities)),
            _table(directory / "reliability.csv", BIN, (row for one in qualities for row in _bins(one))),
            _chart(directory / "harvest.svg", "Harvest rate", [(curve, curve.harvest) for curve in found]),
            _chart(directory / "recall.svg", "Recall of reachable posts", [(curve, curve.recall) for curve in found]),
        ]
    except OSError as error:
        raise ExportError(f"--out: {directory} cannot be written ({error.strerror}); name a writable folder") from error


RUN = "scorer,topic,draw,pages,harvest_half,harvest,recall_half,recall,reachable,kept,right,unlabelled,seconds"
CURVE = "scorer,topic,draw,pages,harvest,recall"
MEAN = "scorer,pages,harvest,recall"
JUDGE = "topic,pages,precision,recall,f1,brier,brier_base_rate,ece"
BIN = "topic,chance_from,chance_to,pages,mean_chance,on_topic"


def _run(run: Run) -> list[object]:
    half, whole = run.budget // 2, run.budget
    harvest, recall = [f"{run.harvest(n):.4f}" for n in (half, whole)], [f"{run.recall(n):.4f}" for n in (half, whole)]
    made = [sum(run.kept), f"{run.right:.4f}", run.unlabelled, f"{run.seconds:.1f}"]
    return [run.scorer, run.topic, run.draw, len(run.hits), *harvest, *recall, run.reachable, *made]


def _curve(run: Run) -> Iterable[list[object]]:
    for n in points(run.budget):
        yield [run.scorer, run.topic, run.draw, n, f"{run.harvest(n):.4f}", f"{run.recall(n):.4f}"]


def _mean(curve: Curve) -> Iterable[list[object]]:
    for n, harvest, recall in zip(curve.pages, curve.harvest, curve.recall, strict=True):
        yield [curve.scorer, n, f"{harvest:.4f}", f"{recall:.4f}"]


def _judge(one: Quality) -> list[object]:
    rates = (one.precision, one.recall, one.f1, one.brier, one.base, one.ece)
    return [one.topic, one.pages, *(f"{rate:.4f}" for rate in rates)]


def _bins(one: Quality) -> Iterable[list[object]]:
    for bucket in one.bins:
        yield [one.topic, bucket.low, bucket.high, round(bucket.pages), f"{bucket.chance:.4f}", f"{bucket.true:.4f}"]


def _table(path: Path, head: str, rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head.split(","))
        writer.writerows(rows)
    return path


def _chart(path: Path, title: str, values: Sequence[tuple[Curve, Sequence[float]]]) -> Path:
    """A line for each scorer; the legend gives the last value of each, the best first."""
    from matplotlib import rc_context  # half a second: only for a study with --out
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):  # text as text, the same bytes at every run
        figure = Figure(SIZE, layout="constrained")
        axes = figure.add_subplot(title=title, xlabel="pages fetched")
        for place, (curve, rates) in enumerate(values):
            colour, dashes = f"C{place % COLOURS}", DASHES[place // COLOURS % len(DASHES)]
            axes.plot(curve.pages, rates, dashes, color=colour, label=f"{curve.scorer} {rates[-1]:.3f}")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        best = [axes.lines[place] for place in sorted(range(len(values)), key=lambda place: -values[place][1][-1])]
        figure.legend(handles=best, loc="outside right upper", fontsize="small", labelspacing=0.3, frameon=False)
        figure.savefig(path, metadata={"Date": None})
    return path
