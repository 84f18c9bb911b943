"""Are the formulas of posts kept? Counted on a recorded web.

    python -m lab.extraction.formulas WEB LABELS.jsonl [--pages 400] [--extractor best]

Of pages that are labelled posts, those with KaTeX's annotations and those with MathJax's scripts, at most --pages of
each kind, evenly over all of them. The sources are read from the markup as it stands, by patterns of their own:
annotations in TeX, and scripts of type math/tex. Printed for each kind: how many pages, on how many of them every
formula is in the body, and how many of all formulas are.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from html import unescape
from pathlib import Path

from crawler.extractors import extractor
from crawler.reader.html.page import Page
from lab.links.labels import POST, Labels
from lab.links.recorded import RecordedWeb

PATTERNS = {
    "KaTeX": re.compile(r"<annotation[^>]*application/x-tex[^>]*>(.*?)</annotation>", re.S),
    "scripts": re.compile(r"<script[^>]*type=[\"']?math/tex[^>]*>(.*?)</script>", re.S),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--extractor", default="best")
    options = parser.parse_args()
    web, extract = RecordedWeb.open(options.web), extractor(options.extractor)
    found: dict[str, list[tuple[Page, Counter[str]]]] = {kind: [] for kind in PATTERNS}
    for label in Labels.load(options.labels, {}):
        reply = web.fetch(label.url) if label.kind == POST else None
        if reply is None or not reply.is_page or reply.target:
            continue
        for kind, pattern in PATTERNS.items():
            sources = (source if kind == "scripts" else unescape(source) for source in pattern.findall(reply.markup))
            if told := Counter(_key(source) for source in sources if source.strip()):
                found[kind].append((Page(reply.markup, label.url), told))
    for kind, pages in found.items():
        some = pages[:: max(1, len(pages) // options.pages)][: options.pages]
        whole = kept = number = 0
        for page, told in some:
            body = _key(extract(page).body)
            own = sum(count for source, count in told.items() if source in body)
            whole += own == told.total()
            kept, number = kept + own, number + told.total()
            if own < told.total():
                print(f"  {own} of {told.total()}: {page.url}")
        print(
            f"{kind}: of {len(some)} pages {whole} keep every formula; of {number} formulas {kept} are kept", flush=True
        )


def _key(text: str) -> str:
    """Without blanks, and without the size that an encyclopaedia sets around each formula."""
    bare = "".join(text.split())
    return bare.removeprefix("{\\displaystyle").removesuffix("}") if bare.startswith("{\\displaystyle") else bare


if __name__ == "__main__":
    main()
