"""Steps over corpora of pages, for datatrove's executors: local, Slurm or Ray. docs/corpus.md has examples.

Warc, Lake             read pages: WARC and WET files, folders of Parquet
Prefilter              lets pages go on that may be about a topic, before their text is extracted
Extract                what a page says: body, title, author, time, kind, language, signature
Judge                  how near a page is to each of many topics, and whether a crawl would keep it
Language               lets pages of these languages go on
Graded                 lets texts go on from which a reader can learn, by a model of quality
PersonalData           tells or masks mail addresses, telephone, identity and card numbers
Counts                 characters and tokens
Unrepeated             lets the pages go on that repeat no earlier one
parquet                writes what is left, as a folder that `zhuti sql` and these steps read
RayExecutor            runs them on a Ray cluster whose nodes may die
"""

from __future__ import annotations

try:
    import datatrove  # noqa: F401
except ImportError as error:
    raise ImportError(f"zhuti.steps needs datatrove ({error}); pip install 'zhuti[corpus]'") from error

from zhuti.steps.extract import Extract
from zhuti.steps.filters import Counts, Graded, Language, PersonalData, Unrepeated
from zhuti.steps.folders import Lake, Warc, parquet
from zhuti.steps.judge import Judge, Prefilter
from zhuti.steps.on_ray import RayExecutor
from zhuti.steps.step import Step, WebPage

__all__ = [
    "Counts",
    "Extract",
    "Graded",
    "Judge",
    "Lake",
    "Language",
    "PersonalData",
    "Prefilter",
    "RayExecutor",
    "Step",
    "Unrepeated",
    "Warc",
    "WebPage",
    "parquet",
]
