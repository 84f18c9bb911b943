"""Zhuti in the runner of WebMainBench (text, code, formulas and tables of a page's Markdown), in an environment of its
own, for that package asks for NumPy 1 and runs with 2:

    echo 'numpy>=2.2' > numpy.txt
    uv pip install --override numpy.txt webmainbench openai html2text resiliparse .
    python -m lab.extraction.with_webmainbench DATA.jsonl | FOLDER ... [--extractors zhuti trafilatura resiliparse]

DATA.jsonl is the data of WebMainBench; a FOLDER has labelled pages (LANG/SET/truth.jsonl and html/ID.html), whose
bodies are plain text, so that `text_edit` alone says something of them. No language model is asked.
"""

from __future__ import annotations

import argparse
import io
import sys
from contextlib import redirect_stdout
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

from crawler.extractors import extractor
from crawler.reader.html.page import Page
from lab.extraction.labelled import labelled_pages

METRICS = ("overall", "text_edit", "code_edit", "formula_edit", "table_edit", "table_TEDS")
# The package imports what all of its extractors ask for, whichever are measured: gigabytes, and what no index has.
UNUSED = ("torch", "transformers", "vllm", "magic_html", "llm_web_kit")


def runner() -> Any:
    """The package, which knows our extractor as `zhuti`."""
    for name in UNUSED:
        if find_spec(name) is None:
            sys.modules[name] = MagicMock()
    package, factory = import_module("webmainbench"), import_module("webmainbench.extractors.factory")
    import_module("webmainbench.config").LLM_CONFIG["use_llm"] = False

    class Zhuti(package.BaseExtractor):  # type: ignore[name-defined,misc]
        version = version("zhuti")
        description = "the extractor of a focused crawler: a network tells a page's text from the rest, block by block"

        def _setup(self) -> None:
            self._extract = extractor("best-markdown")

        def _extract_content(self, html: str, url: str | None = None) -> Any:
            found = self._extract(Page(html, url or ""))
            return package.ExtractionResult(content=found.body, title=found.title, publish_date=found.published)

    factory.extractor("zhuti")(Zhuti)
    return package


def dataset(package: Any, place: Path) -> Any:
    if not place.is_dir():
        return package.DataLoader.load_jsonl(place)
    found = package.BenchmarkDataset(place.name)
    for page in labelled_pages(place):
        if page.body:
            found.add_sample(package.DataSample(page.id, page.markup(), page.body, url=page.url or None))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", type=Path, metavar="DATA")
    parser.add_argument("--extractors", nargs="*", default=["zhuti", "trafilatura", "resiliparse"], metavar="NAME")
    args = parser.parse_args()
    package = runner()
    print("| pages | extractor | " + " | ".join(METRICS) + " |\n|---|---" + "|---" * len(METRICS) + "|")
    for place in args.data:
        pages = dataset(package, place)
        for name in args.extractors:
            with redirect_stdout(io.StringIO()):  # a line for each program that no language model was asked about
                found = package.Evaluator().evaluate(pages, name).overall_metrics
            cells = " | ".join(f"{found[metric]:.3f}" if metric in found else "-" for metric in METRICS)
            print(f"| {place.name} ({len(pages.samples)}) | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
