"""The spine: one page's markup against one topic. What a pool worker runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from crawler.extract.base import Extractor
from crawler.extract.plain import own_text
from crawler.extract.registry import extractor
from crawler.html.links import links
from crawler.html.meta import other_address
from crawler.html.page import Page
from crawler.html.shape import likeness_to_post
from crawler.html.subjects import subjects
from crawler.records import Analysis, Extraction, Link
from crawler.text.measures import language
from crawler.text.minhash import signature
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from crawler.topic.learn import Description


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says, whatever the topic."""

    extraction: Extraction
    text: str  # all of its content; the extraction's body is the part that is kept
    links: tuple[Link, ...]  # each target once, the page itself left out
    language: str  # of the body
    post: float  # likeness to a post, in [0, 1]
    signature: bytes  # of the body
    canonical: str  # the address that the page calls its own, when that is another one of its site
    subjects: tuple[str, ...]  # what it says it is about: its author's tags


@dataclass(frozen=True, slots=True)
class Analyser:
    """Pure: the same markup and address give the same Analysis. The tree is parsed once, for links and body."""

    topic: Topic
    judge: Judge
    extract: Extractor

    @classmethod
    def of(cls, topic: Topic, extractor_name: str) -> Analyser:
        return cls(topic, Judge(topic), extractor(extractor_name))

    def analyse(self, markup: str, url: str) -> Analysis:
        return self.judged(read(markup, url, self.extract))

    def judged(self, page: Reading) -> Analysis:
        """The second half of `analyse`, for whoever has read the page before (study)."""
        # What is kept is the body alone; what the page is about, its tags and a hub's list of titles tell as well.
        # The judge's unit and threshold were set on such text, too.
        return Analysis(
            page.extraction,
            self.judge.judge(replace(page.extraction, body=page.text), page.subjects),
            self.judge.outlinks([link for link in page.links if self.topic.allows(link.url)]),
            page.language,
            page.post,
            page.signature,
            page.canonical,
            page.subjects,
        )


def read(markup: str, url: str, extract: Extractor) -> Reading:
    """The first half of `analyse`."""
    page = Page(markup, url)
    extraction = extract(page)
    return Reading(
        extraction,
        own_text(page),
        tuple(links(page)),
        language(extraction.body),
        likeness_to_post(page),
        signature(extraction.body),
        other_address(page),
        subjects(page),
    )


def describe(markup: str, extract: Extractor) -> Description:
    """A page that describes a topic: by all its content, as pages are judged, so that a home page can be one."""
    page = Page(markup)
    return Description(replace(extract(page), body=own_text(page)), subjects(page))
