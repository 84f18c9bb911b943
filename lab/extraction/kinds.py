"""Which kinds of pages are taken for which, on collections left out.

    python -m lab.extraction.kinds DIR... [--no-addresses]

DIR: folders of labelled pages (`lab.extraction.labelled`). Each collection is told by a model that has not seen it, as
in `lab evaluate extraction --leave-out collection`. Printed for each language and labelled kind: how many pages are
told for which kind, how many of them have no body, and the share that is right. `--no-addresses`: what the pages alone
tell.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crawler.reader.extract.best import Best
from crawler.reader.html.page import Page
from crawler.reader.text.printable import to_stderr
from crawler.records import PageKind
from lab.extraction.labelled import THREADS, LabelledPage, labelled_pages
from lab.extraction.left_out import NETWORKS, collections, without
from lab.extraction.samples import sample
from lab.extraction.training import LOOK, train

NO_BODY = "no body"
# Labelled kinds that are told by another name; all that stand neither here nor in PageKind are "other".
CALLED = dict.fromkeys(THREADS, PageKind.THREAD) | dict.fromkeys(("listing", "collection"), PageKind.LIST)
Table = Mapping[tuple[str, str], Counter[str]]  # by language and labelled kind: pages by what they are told for


def confusion(labels: Sequence[LabelledPage], addresses: bool = True) -> Table:
    """Tells each collection by a model of the others."""
    samples = [read for label in labels if (read := sample(label)) is not None]
    of = collections(labels)
    told: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name in sorted(set(of.values())):
        to_stderr(f"training without {name}")
        best = Best(train(without(samples, labels, of, name), look=replace(LOOK, networks=NETWORKS)))
        for label in labels:
            if of[label.id] == name:
                found = best(Page(label.markup(), label.url if addresses else ""))
                told[label.language, label.kind].update([found.kind.value, *[NO_BODY] * (not found.body)])
    return told


def as_markdown(told: Table) -> Iterator[str]:
    heads = [kind.value for kind in PageKind]
    yield f"| pages | number | {' | '.join(heads)} | {NO_BODY} | right |"
    yield "|---" * (len(heads) + 4) + "|"
    for (language, kind), counts in sorted(told.items(), reverse=True):
        number = sum(counts[head] for head in heads)
        right = CALLED.get(kind, kind if kind in heads else PageKind.OTHER)
        cells = (f"{counts[head] or ''}" for head in (*heads, NO_BODY))
        yield f"| {language} {kind} | {number} | {' | '.join(cells)} | {counts[right] / number:.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--no-addresses", action="store_true", help="leave the addresses of pages out")
    args = parser.parse_args()
    print("\n".join(as_markdown(confusion(labelled_pages(*args.folders), not args.no_addresses))))


if __name__ == "__main__":
    main()
