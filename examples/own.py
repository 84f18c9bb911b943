"""A link scorer, an extractor and a page judge of one's own:

LINK_SCORER=own.ShortAddresses EXTRACTOR=own.paragraphs PAGE_JUDGE=own.NoFirstParts
"""

from collections.abc import Sequence
from dataclasses import replace

from zhuti import Extraction, Judge, JudgedPage, Judgement, LinkScorer, Page, Reason


class ShortAddresses(LinkScorer):
    """Prefers short addresses on pages that are near to the topic."""

    name = "short-addresses"

    def observe(self, page: JudgedPage) -> dict[str, float]:
        return {outlink.link.url: page.nearness / len(outlink.link.url) for outlink in page.outlinks}


def paragraphs(page: Page) -> Extraction:
    """All `p` elements, whatever they are."""
    lines = [" ".join(element.text_content().split()) for element in page.tree.iter("p")]
    body = "\n".join(filter(None, lines))
    return Extraction(title=page.declared.title, body=body, reason=Reason.of("" if body else "no paragraph"))


class NoFirstParts(Judge):
    """Drops what is numbered 0, whatever it is about."""

    def judge(self, extraction: Extraction, subjects: Sequence[str] = ()) -> Judgement:
        judgement = super().judge(extraction, subjects)
        if extraction.title.endswith(" 0"):
            return replace(judgement, on_topic=False, reason=Reason.of("it is a first part"))
        return judgement
