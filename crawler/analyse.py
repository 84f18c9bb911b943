"""The spine: one page's markup against one topic. What a pool worker runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from crawler.extract.base import Extractor
from crawler.extract.plain import plain
from crawler.extract.registry import extractor
from crawler.html.links import links
from crawler.html.meta import other_address
from crawler.html.shape import likeness_to_post
from crawler.html.tree import parse
from crawler.records import Analysis
from crawler.text.measures import language
from crawler.text.minhash import signature
from crawler.topic.files import Topic
from crawler.topic.judge import Judge


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
        tree = parse(markup)
        found = [link for link in links(tree, url) if self.topic.allows(link.url)]
        extraction = self.extract(tree, url)
        # What is kept is the body alone; what the page is about, its tags and a hub's list of titles tell as well.
        # The judge's unit and threshold were set on such text, too.
        judgement = self.judge.judge(replace(extraction, body=plain(tree, url).body))
        return Analysis(
            extraction,
            judgement,
            self.judge.outlinks(found),
            language(extraction.body),
            likeness_to_post(tree),
            signature(extraction.body),
            other_address(tree, url),
        )
