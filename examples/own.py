"""A link scorer and an extractor of one's own: LINK_SCORER=own.ShortAddresses EXTRACTOR=own.paragraphs"""

from crawler.html.page import Page
from crawler.records import Extraction, JudgedPage
from crawler.scorers.base import LinkScorer


class ShortAddresses(LinkScorer):
    """Prefers short addresses on pages that are near to the topic."""

    name = "short-addresses"

    def observe(self, page: JudgedPage) -> dict[str, float]:
        return {outlink.link.url: page.similarity / len(outlink.link.url) for outlink in page.outlinks}


def paragraphs(page: Page) -> Extraction:
    """All `p` elements, whatever they are."""
    lines = [" ".join(element.text_content().split()) for element in page.tree.iter("p")]
    body = "\n".join(filter(None, lines))
    return Extraction(title=page.declared.title, body=body, reason="" if body else "no paragraph")
