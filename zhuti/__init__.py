"""The public interface of Zhuti, explained with examples in docs/api.md. What is named here changes only with notice,
see CONTRIBUTING.md; everything below `crawler` may change.

Reading pages and harvests:

extract, keywords, language   what a page says
Topic, judge                  how near a text is to a topic
Harvest, Document             what crawls have kept

For a link scorer, an extractor or a page judge of your own:

Extractor, Page, Extraction, PageKind               an extractor takes a page and gives an extraction
Post, BodyLink, Image                               parts of an extraction
Judge, Judgement                                    a page judge says whether an extraction is on topic
Reason                                              why not: `str` of it is a sentence, `Reason.of` makes one of yours
LinkScorer, Part, JudgedPage, Outlink, Link, Ended  a link scorer learns pages and gives URLs their scores

SeedSource, Proposal                                a source of seeds takes words and proposes pages

CrawlerError is the base of all errors that the user can correct.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crawler.errors import CrawlerError as CrawlerError, SourceError as SourceError
    from crawler.extractors import Extractor as Extractor
    from crawler.reader.html.page import Page as Page
    from crawler.reader.text.measures import language as language
    from crawler.reasons import Reason as Reason
    from crawler.records import (
        BodyLink as BodyLink,
        Ended as Ended,
        Extraction as Extraction,
        Image as Image,
        JudgedPage as JudgedPage,
        Judgement as Judgement,
        Link as Link,
        Outlink as Outlink,
        PageKind as PageKind,
        Post as Post,
    )
    from crawler.scorers.base import LinkScorer as LinkScorer, Part as Part
    from crawler.topic.files import Topic as Topic
    from crawler.topic.judge import Judge as Judge
    from zhuti.harvest import Document as Document, Harvest as Harvest
    from zhuti.pages import extract as extract, judge as judge, keywords as keywords, learned_topic as learned_topic
    from zhuti.seeding.source import Proposal as Proposal, SeedSource as SeedSource

# Loaded when they are asked for: who needs a record need not load the extractor's model, nor a command either.
_MODULES = {
    "crawler.errors": "CrawlerError SourceError",
    "crawler.extractors": "Extractor",
    "crawler.reader.html.page": "Page",
    "crawler.reasons": "Reason",
    "crawler.records": "BodyLink Ended Extraction Image JudgedPage Judgement Link Outlink PageKind Post",
    "crawler.scorers.base": "LinkScorer Part",
    "crawler.reader.text.measures": "language",
    "crawler.topic.files": "Topic",
    "crawler.topic.judge": "Judge",
    "zhuti.harvest": "Document Harvest",
    "zhuti.pages": "extract judge keywords learned_topic",
    "zhuti.seeding.source": "Proposal SeedSource",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return found
