"""Which labelled pages a change helps, and which it harms.

    python -m lab.extraction.helped DIR... --out BEFORE.json            before the change
    python -m lab.extraction.helped DIR... --against BEFORE.json        after it

DIR: folders of labelled pages (`lab.extraction.labelled`). Printed for each collection and kind: pages, mean F1 of the
body before and now, how many pages are better and worse by more than .05, titles and days right before and now, false
bodies; then each page that changed. The bundled model is asked: what it was trained on is not left out.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from lab.extraction.evaluation import score
from lab.extraction.labelled import LabelledPage, labelled_pages

MUCH = 0.05  # of F1, by which a page is better or worse
Told = Mapping[str, float | bool | None]  # of a page: "f1", "title", "day", "false"; None without a label


def told(label: LabelledPage) -> Told:
    found = best(Page(label.markup(), label.url))
    scores = score(label, (found.body, found.title, found.published))
    false = None if label.body != "" else not scores.empty
    return {"f1": scores.body and scores.body[2], "title": scores.title, "day": scores.day, "false": false}


def compared(labels: Sequence[LabelledPage], before: Mapping[str, Told], now: Mapping[str, Told]) -> Iterator[str]:
    groups: dict[str, list[str]] = defaultdict(list)
    for label in labels:
        groups[f"{label.id.rpartition('/')[0]} {label.kind}"].append(label.id)
    yield "| pages | number | F1 | better, worse | title | day | false bodies |"
    yield "|---" * 7 + "|"
    for name, pages in [*sorted(groups.items()), ("all", [label.id for label in labels])]:
        change = [now[page]["f1"] - before[page]["f1"] for page in pages if before[page]["f1"] is not None]  # type: ignore[operator]
        moved = f"{sum(each > MUCH for each in change)}, {sum(each < -MUCH for each in change)}"
        means = (f"{_mean(before, pages, key)} {_mean(now, pages, key)}" for key in ("f1", "title", "day", "false"))
        f1, title, day, false = means
        yield f"| {name} | {len(pages)} | {f1} | {moved} | {title} | {day} | {false} |"
    for label in labels:
        old, new = before[label.id], now[label.id]
        if old["f1"] is not None and abs(new["f1"] - old["f1"]) > MUCH:  # type: ignore[operator]
            yield f"{label.id}: {old['f1']:.2f} to {new['f1']:.2f}"
        for key in ("title", "day", "false"):
            if old[key] != new[key]:
                yield f"{label.id}: {key} {old[key]} to {new[key]}"


def _mean(of: Mapping[str, Told], pages: Sequence[str], key: str) -> str:
    values = [float(value) for page in pages if (value := of[page][key]) is not None]
    return f"{sum(values) / len(values):.3f}" if values else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to keep what was found")
    parser.add_argument("--against", type=Path, metavar="FILE", help="what was found before")
    options = parser.parse_args()
    labels = labelled_pages(*options.folders)
    now = {label.id: told(label) for label in labels}
    if options.out:
        options.out.write_text(json.dumps(now), encoding="utf-8")
    if options.against:
        print("\n".join(compared(labels, json.loads(options.against.read_text(encoding="utf-8")), now)))


if __name__ == "__main__":
    main()
