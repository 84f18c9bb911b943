"""What the step `Quality` drops of good text: bodies of labelled pages, by language and kind.

    python -m lab.benchmarks.quality PAGES_DIR [PAGES_DIR ...] [--extracted]

PAGES_DIR holds LANG/SET/{truth.jsonl, html/ID.html}. --extracted: the bodies that `best` makes of the pages, where it
finds one.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from datatrove.data import Document

from crawler.reader.html.page import Page
from lab.extraction.labelled import LabelledPage, labelled_pages
from zhuti.steps import Extract, Quality, WebPage


def body(page: LabelledPage, extract: Extract | None) -> str:
    if extract is None:
        return page.body or ""
    markup = page.markup()
    document = WebPage(Page(markup, page.url), text=markup, id=page.id)
    return document.text if extract.look(document) else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--extracted", action="store_true")
    options = parser.parse_args()
    quality, extract = Quality(), Extract() if options.extracted else None
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for page in labelled_pages(*options.folders):
        if not page.body or not (text := body(page, extract)).strip():
            continue
        document = Document(text=text, id=page.id)
        counts = found[page.language, page.kind]
        counts.update(pages=1, dropped=not quality.look(document))
        told = document.metadata["quality"]
        counts["repeated lines"] += told["repeated_lines"] > quality.repeated_lines
        counts["repeated characters"] += told["repeated_characters"] > quality.repeated_characters
        counts["few marks"] += told["ended_lines"] < quality.ended_lines
    for (language, kind), counts in sorted(found.items()):
        print(f"{language:<6}{kind:<14}", ", ".join(f"{number} {name}" for name, number in counts.items()))


if __name__ == "__main__":
    main()
