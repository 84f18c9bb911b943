"""Pages that cannot be about a topic, told before their text is extracted."""

from __future__ import annotations

from datatrove.data import Document

from crawler.reader.extract.own_text import own_text
from crawler.reader.html.subjects import subjects
from crawler.records import Extraction
from crawler.store.sampled_texts import TOLD_APART
from zhuti.steps.judge import OfTopics
from zhuti.steps.step import WebPage


class Prefilter(OfTopics):
    """Lets pages go on that `Judge` might keep, and drops the others before `Extract`, which takes most of the time:
    most pages of an archive are about something else. A page goes on if its whole content has a similarity of at least
    .05 to one of the topics, or of the topic's threshold where that is less. It is judged with the title of its head.
    Texts without markup go on.

    Args:
        topics, by: as of `Judge`.

    Raises:
        TopicError: unknown topic, or one that only a crawl can learn. SettingError: unknown judge.
    """

    name = "Prefilter"

    def look(self, document: Document) -> bool:
        if not isinstance(document, WebPage):
            return True
        page = document.page
        title = page.declared.title
        content, tags = Extraction(title, own_text(page, title)), subjects(page)
        return any(
            judge.judge(content, tags).similarity >= min(TOLD_APART, judge.topic.threshold)
            for judge in self._judges
            if judge.topic.allows(document.id)
        )
