"""`zhuti label TOPIC --ask-model N`: a model answers about pages, once a person has seen how far it agrees. The
table `model_answers`: a text that was asked about is not asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scrapy.settings import BaseSettings
from sqlalchemy import Connection, insert, select

from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.schema import model_answers
from crawler.errors import LabelError
from crawler.labels.judge_again import judge_again
from crawler.labels.labels import Answer, Label, Who, add, counting, every, version_of
from crawler.labels.lessons import described
from crawler.labels.threshold import threshold
from crawler.messages import _
from crawler.records import Extraction
from crawler.store.names import topic_id_of
from crawler.topic.file_writer import learned_topic
from crawler.topic.files import Topic
from crawler.topic.judge import page_judge
from zhuti.label.questions import candidates, near_threshold
from zhuti.label.session import told_of
from zhuti.labeller.chat import Labeller, Said

COMPARED = 30  # a person's own answers, with which a model's are compared
OPINIONS = (Answer.YES, Answer.NO)


def own_answers(connection: Connection, topic_id: int) -> list[tuple[str, Extraction, Answer]]:
    """The last COMPARED pages, those whose text is stored, to which a person has answered yes or no."""
    labels = counting(every(connection, topic_id)).values()
    said = {one.url: one.answer for one in labels if one.who is Who.PERSON and one.answer in OPINIONS}
    latest = sorted((one.at, one.url) for one in labels if one.url in said)[::-1]
    found = {url: page.extraction for url, page in described(connection, topic_id, list(said))}
    return [(url, found[url], said[url]) for _, url in latest if url in found][:COMPARED]


def answer_of(connection: Connection, topic_id: int, model: str, url: str, body: str) -> Answer | None:
    """What the model has answered about this text."""
    table = model_answers.c
    query = select(table.answer).where(
        table.topic_id == topic_id, table.model == model, table.url == url, table.version == version_of(body)
    )
    answer = connection.execute(query.order_by(table.id.desc()).limit(1)).scalar()
    return None if answer is None else Answer(answer)


def keep_answer(connection: Connection, topic_id: int, model: str, url: str, body: str, said: Said) -> None:
    values = {"topic_id": topic_id, "model": model, "url": url, "version": version_of(body)}
    values |= {"answer": said.answer.value, "prompt": said.prompt, "text": said.text, "at": wall_time()}
    connection.execute(insert(model_answers).values(values))


def count_answer(connection: Connection, topic_id: int, url: str, body: str, answer: Answer) -> None:
    """Stores an answer, which teaches unless a person gives another."""
    add(connection, topic_id, [Label(url, answer, wall_time(), Who.MODEL, version_of(body))])


def ask_model(
    name: str, most: int, agreement: float | None, settings: BaseSettings, ask: Callable[[str], str] = input
) -> int:
    """Raises CrawlerError. What was answered before an error stays."""
    topic = learned_topic(name, Path(settings["TOPICS_DIR"]))
    labeller = Labeller(settings["MODEL_URL"], settings["MODEL_NAME"], topic)
    session = ModelSession(settings["STORE_URL"], topic, labeller)
    share = session.compare()
    if not (_is_wanted(ask, most) if agreement is None else share >= agreement):
        print(_("The model's answers do not count."))
        return 0
    session.answer(most)
    judge_of = page_judge(settings["PAGE_JUDGE"])
    print(told_of(judge_again(settings["STORE_URL"], session.topic_id, topic, judge_of)))
    return 0


@dataclass
class ModelSession:
    store_url: str
    topic: Topic  # learned
    labeller: Labeller
    topic_id: int = 0

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Opens a transaction beside a crawl, which does not wait while the model thinks."""
        with Database(self.store_url, beside=True) as database, database.transaction() as connection:
            yield connection

    def compare(self) -> float:
        """Tells on how many of a person's own answers the model agrees, and returns their share."""
        with self.transaction() as connection:
            self.topic_id = topic_id_of(connection, self.topic.name)
            own = own_answers(connection, self.topic_id)
        if len(own) < COMPARED:
            raise LabelError(
                _(
                    "a model's answers are compared with {needed} of your own, and there are {count}; answer about"
                    " more pages first: zhuti label {name}"
                ),
                needed=COMPARED,
                count=len(own),
                name=self.topic.name,
            )
        pairs = [(answer, self._ask(url, page)) for url, page, answer in own]
        agreed = sum(own is other for own, other in pairs)
        unsure = sum(other is Answer.UNSURE for _, other in pairs)
        named = {"model": self.labeller.model, "agreed": agreed, "count": len(pairs), "unsure": unsure}
        print(_("{model} agrees with you on {agreed} of {count} pages and is unsure about {unsure}", **named))
        return agreed / len(pairs)

    def answer(self, most: int) -> None:
        """About pages near the threshold, to which nobody has answered; each answer counts at once."""
        with self.transaction() as connection:
            known = counting(every(connection, self.topic_id))
            least = threshold(connection, self.topic_id, self.topic)
            new = [page for page in candidates(connection, self.topic_id, least) if page.url not in known]
        given = dict.fromkeys(Answer, 0)
        for candidate in near_threshold(new, least, most):
            with self.transaction() as connection:
                found = list(described(connection, self.topic_id, [candidate.url]))
            for url, page in found:
                answer = self._ask(url, page.extraction)
                given[answer] += 1
                with self.transaction() as connection:
                    count_answer(connection, self.topic_id, url, page.extraction.body, answer)
        print(_("{yes} yes, {no} no, {unsure} unsure", **{answer.value: n for answer, n in given.items()}))

    def _ask(self, url: str, page: Extraction) -> Answer:
        place = (self.topic_id, self.labeller.model, url, page.body)
        with self.transaction() as connection:
            known = answer_of(connection, *place)
        if known is not None:
            return known
        said = self.labeller.ask(page.title, page.body)
        with self.transaction() as connection:
            keep_answer(connection, *place, said)
        return said.answer


def _is_wanted(ask: Callable[[str], str], most: int) -> bool:
    try:
        said = ask(_("Let it answer about {most} pages, and count its answers? [y/N] ", most=most))
    except (EOFError, KeyboardInterrupt):
        return False
    return said.strip().lower()[:1] == "y"
