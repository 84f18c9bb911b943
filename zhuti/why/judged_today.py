"""What a stored page's similarity is made of: its words, what they mean for this topic, what answers taught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select

from crawler.database.schema import meanings, pages
from crawler.labels.lessons import described, taught
from crawler.messages import N_
from crawler.reader.text.tokens import Tokenizer
from crawler.records import similarity_of
from crawler.scorers.base import Part
from crawler.topic.calibration import Calibration, Evidence, log_odds
from crawler.topic.files import Topic
from crawler.topic.learn import weighed_page

TEXT = N_("without its tags")


@dataclass(frozen=True, slots=True)
class JudgedToday:
    """By the topic as it is today."""

    similarity: float
    plain: float  # the same by nearness alone, without calibration and answers
    examples: float  # calibration.Calibration
    parts: tuple[Part, ...]  # of the log odds of `similarity`
    model: str  # that was asked what the page means; "": none was


def judged_today(connection: Connection, topic_id: int, topic: Topic, url: str) -> JudgedToday | None:
    """None where the page's text is not stored, or the topic not learned or not calibrated."""
    found = dict(described(connection, topic_id, [url]))
    if url not in found or topic.vector is None or (calibration := topic.vector.calibration) is None:
        return None
    vector, answers = topic.vector, taught(connection, topic_id, topic).taught
    page = weighed_page(Tokenizer(topic.keywords, topic.lexicon), found[url])
    nearness = (answers or vector).calibrated(page)
    parts = [*_parts(calibration, vector.evidence(page))]
    if answers is not None:
        rest = log_odds(nearness) - sum(part.value for part in parts if not part.of)
        parts.append(Part(N_("people's answers"), rest))
    plain = similarity_of(vector.nearness(page.whole))
    asked = select(meanings.c.model).join(pages).where(pages.c.url == url).limit(1)
    model = connection.execute(asked).scalar() or ""
    return JudgedToday(similarity_of(nearness), plain, calibration.examples, tuple(parts), model)


def _parts(calibration: Calibration, page: Evidence) -> Iterator[Part]:
    text = (
        (N_("any page"), calibration.base),
        (N_("words of the text"), calibration.text * page.text),
        (N_("meaning of the text"), calibration.meaning * page.meaning),
        (N_("words of the title"), calibration.title * page.title),
        (N_("share of words that are not Chinese"), calibration.latin * page.latin),
        (N_("share of different words"), calibration.variety * page.variety),
    )
    if page.all is None:
        yield from (Part(name, value) for name, value in text)
        return
    tagged = calibration.tagged
    yield Part(N_("any page with tags"), tagged.base)
    yield Part(TEXT, tagged.untagged * sum(value for _, value in text))
    yield from (Part(name, tagged.untagged * value, TEXT) for name, value in text)
    yield Part(N_("text and tags together"), tagged.all * page.all)
    yield Part(N_("words of the tags"), tagged.tags * page.tags)
    yield Part(N_("meaning of the tags"), tagged.tags_meaning * page.tags_meaning)
