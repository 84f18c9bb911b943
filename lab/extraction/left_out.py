"""How good the default extractor is on collections that it was not trained on: other sites, eras and labellers.

Sites left out of one collection are still of its kind: who gathered it chose them, one hand labelled them. So a whole
collection is left out, with all pages of its sites elsewhere, and measured by a model of the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import md5

from crawler.reader.extract.best import Best
from lab.extraction.evaluation import Evaluation, Row, Tool, as_text, evaluate, own_tool, rows_as_text
from lab.extraction.labelled import LabelledPage
from lab.extraction.samples import Sample, sample
from lab.extraction.scores import Scores
from lab.extraction.training import LOOK, train

MIN_PAGES = 10  # with a labelled body; collections of fewer are one
FEW = "few"
COLLECTION, HALF = "collection", "half"  # what is left out at a time
NETWORKS = 2  # of the four that are shipped: half the time
Tell = Callable[[str], None]


def collections(labels: Iterable[LabelledPage]) -> dict[str, str]:
    """Returns the collection of each page, by its id."""
    labels = list(labels)
    sizes = Counter(label.collection for label in labels if label.body)
    return {label.id: label.collection if sizes[label.collection] >= MIN_PAGES else FEW for label in labels}


def halves(labels: Iterable[LabelledPage]) -> dict[str, str]:
    """Returns the half of its collection in which each page is, by its id. All pages of a site are in one half."""
    labels = list(labels)
    half = {label.id: 1 + (md5(label.group.encode()).digest()[0] & 1) for label in labels}
    return {page: f"{name}, half {half[page]}" for page, name in collections(labels).items()}


def without(
    samples: Sequence[Sample], labels: Sequence[LabelledPage], of: Mapping[str, str], name: str
) -> list[Sample]:
    """Returns the samples that are neither of a collection nor of one of its sites."""
    sites = {label.group for label in labels if of[label.id] == name}
    return [item for item in samples if of[item.label.id] != name and item.label.group not in sites]


def left_out(
    labels: Sequence[LabelledPage],
    samples: Sequence[Sample],
    peers: Mapping[str, Tool],
    tell: Tell,
    part: str = COLLECTION,
) -> Iterator[tuple[str, Evaluation]]:
    """Measures each collection, or each half of one, by a model that has not seen it, beside the peers on the same
    pages. Nothing is left of a single collection."""
    of = halves(labels) if part == HALF else collections(labels)
    names = sorted(set(of.values()))
    for name in names if len(names) > 1 else ():
        tell(f"training without {name}")
        model = train(without(samples, labels, of, name), look=replace(LOOK, networks=NETWORKS))
        own = [label for label in labels if of[label.id] == name]
        yield name, evaluate(own, {"best": own_tool(Best(model)), **peers})


def report(
    labels: Sequence[LabelledPage], peers: Mapping[str, Tool], tell: Tell, part: str = COLLECTION
) -> Iterator[str]:
    """Yields a table for each collection or half left out, and last the mean over them."""
    samples = [read for label in labels if (read := sample(label)) is not None]
    measured: list[Row] = []
    for name, evaluation in left_out(labels, samples, peers, tell, part):
        yield f"\n{name}, left out\n{as_text(evaluation)}"
        measured += evaluation.rows
    yield f"\nmean of what was left out, each counted alike\n{rows_as_text(means(measured))}"


def means(rows: Iterable[Row]) -> list[Row]:
    """Returns the plain mean over the collections for each tool, language and kind."""
    groups: dict[tuple[str, str, str], list[Scores]] = defaultdict(list)
    for row in rows:
        groups[row.tool, row.language, row.kind].append(row.scores)
    return [Row(*group, _mean(found)) for group, found in groups.items()]


def _mean(scores: Sequence[Scores]) -> Scores:
    values = {
        name: [value for each in scores if (value := getattr(each, name)) is not None]
        for name in Scores.__dataclass_fields__
    }
    pages = sum(values.pop("pages"))
    return Scores(pages, **{name: sum(found) / len(found) if found else None for name, found in values.items()})
