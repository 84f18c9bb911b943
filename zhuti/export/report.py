"""What is in a corpus, as one HTML page that needs no network: numbers, charts, and twenty pages to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

from crawler.document import Document
from crawler.errors import ExportError
from crawler.messages import _
from crawler.reader.text.measures import char_len
from crawler.reader.text.minhash import VALUES, signature
from crawler.store.duplicates import NEAR
from zhuti.corpus.repetitions import repetitions
from zhuti.export.card import BINS, Tally
from zhuti.export.decontaminate import items
from zhuti.export.stage import Stage
from zhuti.export.teaches import LENGTH, MOST, bits, curve
from zhuti.whole_file import refuse_foreign, whole_file

TEMPLATE = "corpus.html"
SAMPLE = 20  # pages to read
OPENING = 400  # characters of each
NAMES_SHOWN = 15  # hosts and licences that are named
LENGTHS = (200, 500, 1_000, 2_000, 5_000, 10_000, 50_000)  # characters without blanks: borders of the chart's bars
SEED = 20261126  # of the sample: the same pages give the same one
MARK = '<meta name="generator" content="zhuti export">'


def check_place(path: Path) -> None:
    """Raises ExportError for a name that does not end in .html, or a file that no export has written."""
    if path.suffix != ".html":
        raise ExportError(_("--report {path}: the page must be called FILE.html"), path=path)
    refuse_foreign(path, path.is_file() and MARK in path.read_text("utf-8", "replace"))


class Report(Stage):
    """Looks at the pages that go by. 128 bytes of each stay in memory, by which near-duplicates are found; with test
    sets the beginnings of the first MOST pages stay too, for what they teach."""

    def __init__(self, held_out: Sequence[Path] = ()) -> None:
        """`held_out`: test sets, as `decontaminate.items` reads them. Raises ExportError without pyppmd."""
        if held_out:
            bits("", "1")  # says that the package is missing before the pages are read
        self._held_out = held_out
        self._texts: list[str] = []
        self._tally = Tally()
        self._lengths: Counter[int] = Counter()
        self._years: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._signatures = bytearray()
        self._sample: list[Document] = []
        self._random = Random(SEED)

    def __call__(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in self._tally.counted(documents):
            self._lengths[sum(char_len(document.body) >= border for border in LENGTHS)] += 1
            self._years[(document.published or "")[:4] or _("unknown")] += 1
            self._kinds[document.kind or _("unknown")] += 1
            self._signatures += signature(document.body)
            if self._held_out and len(self._texts) < MOST:
                self._texts.append(f"{document.title}\n{document.body}"[:LENGTH])
            self._keep(document)
            yield document

    def _keep(self, document: Document) -> None:
        """Keeps a sample in which each page has the same chance to be (Vitter 1985, algorithm R)."""
        if len(self._sample) < SAMPLE:
            self._sample.append(document)
        elif (place := self._random.randrange(self._tally.pages)) < SAMPLE:
            self._sample[place] = document

    def told(self) -> str:
        return ""

    def near_duplicates(self) -> int:
        """Pages that nearly repeat an earlier one."""
        rows = np.frombuffer(bytes(self._signatures), np.uint8).reshape(-1, VALUES)
        return sum(1 for _found in repetitions(rows, NEAR)) if len(rows) else 0

    def write(self, path: Path, topic: str, name: str) -> None:
        """Writes the page about the corpus in the file `name`. Raises ExportError."""
        from zhuti.news.charts import bars, curve as line  # Pygal: not for every export
        from zhuti.news.templates import templates

        tally, pages = self._tally, _("pages")
        lengths = [f"< {LENGTHS[0]:,}", *(f"{border:,}" for border in LENGTHS)]
        years = sorted(self._years)
        charts = {
            "similarity": bars([f"{place / BINS:.2f}" for place in range(BINS)], {pages: tally.similarity}),
            "lengths": bars(lengths, {pages: [self._lengths[place] for place in range(len(lengths))]}),
            "years": bars(years, {pages: [self._years[year] for year in years]}),
        }
        if self._held_out:
            points = [*curve(self._texts, (text for path in self._held_out for text in items(path)))]
            charts["teaches"] = line(_("bits per character"), points, is_share=False)
        silent = tally.pages - tally.licences.total()
        tables = {
            _("Hosts"): tally.hosts,
            _("Licences"): tally.licences + Counter({_("no statement"): silent}),
            _("Languages"): tally.languages,
            _("Kinds"): self._kinds,
        }
        shown = [{"page": page, "opening": page.body[:OPENING]} for page in self._sample]
        page = (
            templates(Path(__file__).parent)
            .get_template(TEMPLATE)
            .render(
                topic=topic,
                name=name,
                tally=tally,
                near=self.near_duplicates(),
                charts=charts,
                tables={title: counter.most_common(NAMES_SHOWN) for title, counter in tables.items()},
                sizes={title: len(counter) for title, counter in tables.items()},
                sample=shown,
            )
        )
        with whole_file(path) as partial:
            partial.write_text(page, encoding="utf-8", errors="replace")
