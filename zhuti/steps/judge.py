"""Pages against topics: judged, and before that, those that cannot be about one left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from datatrove.data import Document

from crawler.reasons import Reason
from crawler.records import Analysis, Extraction, Outcome, PageKind
from crawler.store.fetch_log import TOLD_APART
from crawler.topic.files import Topic
from crawler.topic.judge import Judge as PageJudge, page_judge
from zhuti import learned_topic
from zhuti.steps.step import Bounded, WebPage


class OfTopics(Bounded):
    """A step that judges pages against topics."""

    def __init__(self, topics: Sequence[str | Topic], by: str = "") -> None:
        super().__init__()
        page_judge(by)
        self.topics = [learned_topic(topic) for topic in topics]
        self.judge_name = by

    @cached_property
    def _judges(self) -> list[PageJudge]:
        """Made in each process: their dictionaries are large."""
        return [page_judge(self.judge_name)(topic) for topic in self.topics]


class Judge(OfTopics):
    """Judges pages as a crawl and `zhuti rejudge` do: by title, body and the author's tags. `judgements`
    holds, for each topic that allows the page's host, the similarity, whether a crawl would keep the page, and why not.
    Repetitions are looked for later (`zhuti.lake.duplicates`).

    Args:
        topics: names, paths of .toml files, or Topics.
        everything: whether pages that no topic keeps go on too.
        waived: what publishers forbid, and the user does not obey: "noindex", "noai", "tdm-reservation".
        by: a value of the setting PAGE_JUDGE.

    Raises:
        TopicError: unknown topic, or one that only a crawl can learn. SettingError: unknown judge.
    """

    name = "Judge"

    def __init__(
        self,
        topics: Sequence[str | Topic],
        everything: bool = False,
        waived: Iterable[str] = (),
        by: str = "",
    ) -> None:
        super().__init__(topics, by)
        self.everything, self.waived = everything, frozenset(waived)

    def look(self, document: Document) -> bool:
        found, content = _analysis(document, self.waived)
        document.metadata["judgements"] = said = list(self._judged(document.id, found, content))
        return self.everything or any(one["kept"] for one in said)

    def _judged(self, url: str, found: Analysis, content: Extraction) -> Iterator[dict[str, object]]:
        for judge in self._judges:
            if judge.topic.allows(url):
                judgement = judge.judge(content, found.subjects)
                outcome, reason = replace(found, judgement=judgement).verdict()
                kept = outcome is Outcome.KEPT
                yield {
                    "topic": judge.topic.name,
                    "similarity": judgement.similarity,
                    "kept": kept,
                    "reason": str(reason),
                }


def _analysis(document: Document, waived: frozenset[str]) -> tuple[Analysis, Extraction]:
    """What was extracted, and by what it is judged."""
    said = document.metadata
    forbids = frozenset(said.get("forbids") or ())
    if isinstance(document, WebPage) and document.analysis is not None:
        found = replace(document.analysis, forbids=forbids, waived=waived)
        return found, document.content
    kind = PageKind(said.get("kind") or PageKind.ARTICLE)
    extraction = Extraction(said.get("title") or "", document.text, kind=kind, reason=Reason.of(said.get("reason")))
    subjects = tuple(said.get("subjects") or ())
    return Analysis(extraction, subjects=subjects, forbids=forbids, waived=waived), extraction


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
        content, tags = self.ask("outline", document) or (None, ())
        return content is not None and any(
            judge.judge(content, tags).similarity >= min(TOLD_APART, judge.topic.threshold)
            for judge in self._judges
            if judge.topic.allows(document.id)
        )
