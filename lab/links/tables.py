"""What a study found, as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from lab.links.compare import Run
from lab.links.metrics import Mean, mean_of

INTERVALS = (
    "±: 95% t interval over the topics, each the mean of its draws; with one topic, over its draws. Recall counts the"
    " on-topic posts that can be reached from the seeds over the recorded links."
)

Cells = Sequence[object]


def markdown(head: Sequence[str], rows: Iterable[Cells]) -> str:
    """A table; numbers with three decimals."""
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def scorers(runs: Sequence[Run]) -> str:
    """A row for each scorer: means over topics and draws, with intervals."""
    half, whole = runs[0].budget // 2, runs[0].budget
    head = [
        "scorer",
        f"harvest at {half}",
        f"at {whole}",
        f"recall at {whole}",
        "kept",
        "of it right",
        "pages",
        "requests",
        "h",
    ]
    return markdown(head, (_scorer(name, group, half, whole) for name, group in by_scorer(runs)))


def _scorer(name: str, runs: Sequence[Run], half: int, whole: int) -> Cells:
    rates: list[Callable[[Run], float]] = [
        lambda run: run.harvest(half),
        lambda run: run.harvest(whole),
        lambda run: run.recall(whole),
    ]
    means = [mean_of([[rate(run) for run in topic] for topic in by_topic(runs)]) for rate in rates]
    kept = fmean(sum(run.kept) / max(1, len(run.kept)) for run in runs)
    right = fmean(run.right for run in runs)
    pages = round(fmean(len(run.hits) for run in runs))
    asked, hours = round(fmean(run.asked for run in runs)), f"{fmean(run.seconds for run in runs) / 3600:.2f}"
    return [f"`{name}`", *means, kept, right, pages, asked, hours]


def topics(runs: Sequence[Run]) -> str:
    """Harvest at the end of the budget: a row for each scorer, a column for each topic."""
    names = list(dict.fromkeys(run.topic for run in runs))
    rows = ([f"`{name}`", *(_at_end(topic) for topic in by_topic(group))] for name, group in by_scorer(runs))
    return markdown([f"harvest at {runs[0].budget}", *names], rows)


def _at_end(runs: Sequence[Run]) -> Mean:
    return mean_of([[run.harvest(run.budget) for run in runs]])


def against(runs: Sequence[Run], rival: str) -> str:
    """How much more each scorer harvests than `rival`, compared within each topic and draw."""
    half, whole = runs[0].budget // 2, runs[0].budget
    groups = dict(by_scorer(runs))
    others = {(run.topic, run.draw): run for run in groups[rival]}
    rows = []
    for name, group in groups.items():
        if name == rival:
            continue
        row: list[object] = [f"`{name}`"]
        for pages in (half, whole):
            gains = [
                [run.harvest(pages) - others[run.topic, run.draw].harvest(pages) for run in topic]
                for topic in by_topic(group)
            ]
            worst = min(
                zip((fmean(gain) for gain in gains), (topic[0].topic for topic in by_topic(group)), strict=True)
            )
            row += [mean_of(gains), f"{worst[0]:+.3f} {worst[1]}"]
        rows.append(row)
    head = [f"more than `{rival}`", f"at {half}", "worst topic", f"at {whole}", "worst topic"]
    return markdown(head, rows)


def left(runs: Sequence[Run]) -> str:
    """How many on-topic pages are left at the end: what the crawl estimates, and what the labels say. `no less`: the
    share of crawls after which no less than `at least` was left."""
    rows: list[Cells] = []
    for name, group in by_scorer(runs):
        ratios = [[run.expected / max(1, run.left) for run in topic] for topic in by_topic(group)]
        off = [[abs(run.expected - run.left) / max(1, run.left) for run in topic] for topic in by_topic(group)]
        means = (round(fmean(run.expected for run in group)), round(fmean(run.left for run in group)))
        sure = fmean(run.least <= run.left for run in group)
        rows.append(
            [f"`{name}`", *means, mean_of(ratios), mean_of(off), round(fmean(run.least for run in group)), sure]
        )
    head = ["left at the end", "estimated", "really", "estimated / really", "relative error", "at least", "no less"]
    return markdown(head, rows)


def by_scorer(runs: Sequence[Run]) -> list[tuple[str, list[Run]]]:
    names = list(dict.fromkeys(run.scorer for run in runs))
    return [(name, [run for run in runs if run.scorer == name]) for name in names]


def by_topic(runs: Sequence[Run]) -> list[list[Run]]:
    names = list(dict.fromkeys(run.topic for run in runs))
    return [[run for run in runs if run.topic == name] for name in names]
