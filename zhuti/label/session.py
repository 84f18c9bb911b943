"""`zhuti label TOPIC` in a terminal: one page after the other, and a key for each answer."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from scrapy.settings import BaseSettings
from sqlalchemy import Connection, select

from crawler.clock import wall_time
from crawler.database.database import Database
from crawler.database.schema import pages
from crawler.labels.judge_again import JudgingAgain, judge_again
from crawler.labels.labels import Answer, Label, add, counting, every, take_back
from crawler.labels.ranked import answered
from crawler.labels.threshold import PROPOSED, proposed, threshold
from crawler.messages import _, translated
from crawler.reader.text.printable import legible, printable
from crawler.store.compression import reader
from crawler.store.names import topic_id_of
from crawler.topic.file_writer import learned_topic
from crawler.topic.files import Topic
from crawler.topic.judge import Judge, page_judge
from zhuti.label.expected import Share, expected, lacks_answers_near
from zhuti.label.questions import Question, candidates, questions, sizes


def key(prompt: str) -> str:
    """What was pressed, shown like typed text; a line where nobody sits at a terminal. Raises EOFError, at Ctrl-D too,
    and KeyboardInterrupt."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return input(prompt)
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSANOW)  # before the prompt: what is pressed at once is not lost
        print(prompt, end="", flush=True)
        pressed = sys.stdin.read(1)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
    if pressed in ("", "\x04"):
        raise EOFError
    print("" if pressed == "\n" else pressed, flush=True)
    return pressed


FIRST_LINES = 3
TELLING_LINES = 3  # that carried the judgement
WIDTH = 160  # characters of a line that are shown
ENOUGH = 0.01  # share of verdicts that the last ENOUGH_ANSWERS changed
ENOUGH_ANSWERS = 30
ANSWERS = {"y": Answer.YES, "n": Answer.NO, "s": Answer.UNSURE}
KEYS = _("[y]es, [n]o, [s]kip, [u]ndo, [o]pen, [q]uit: ")

Ask = Callable[[str], str]


def label(name: str, settings: BaseSettings, ask: Ask = key) -> int:
    """Asks until nothing is left or the user ends it. Raises CrawlerError."""
    topic = learned_topic(name, Path(settings["TOPICS_DIR"]))
    session = Session(settings["STORE_URL"], topic, page_judge(settings["PAGE_JUDGE"]), ask)
    with session.transaction() as connection:
        session.topic_id = topic_id_of(connection, topic.name)
    session.run()
    return 0


@dataclass
class Session:
    """One person's answers in one go."""

    store_url: str
    topic: Topic  # learned
    judge_of: type[Judge]
    ask: Ask
    topic_id: int = 0
    changes: list[tuple[int, float]] = field(default_factory=list)  # (answers, share of verdicts changed) by round

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Opens a transaction beside a crawl that may be at work."""
        with Database(self.store_url, beside=True) as database, database.transaction() as connection:
            yield connection

    @cached_property
    def _judge(self) -> Judge:
        return self.judge_of(self.topic)

    def run(self) -> None:
        while asked := self._next_round():
            count = self._ask_round(asked)
            if count:
                self._learn(count)
            if count is None or not self._goes_on():
                return
        print(_("Nothing is left to ask about: crawl on, or lower the threshold."))

    def _next_round(self) -> list[Question]:
        with self.transaction() as connection:
            number = len(counting(every(connection, self.topic_id)))
            least = threshold(connection, self.topic_id, self.topic)
            return questions(candidates(connection, self.topic_id, least), least, number)

    def _ask_round(self, asked: Sequence[Question]) -> int | None:
        """How many were answered; None: no more, and nothing was."""
        number = count = 0
        while number < len(asked):
            pressed = self._ask(asked[number], f"{number + 1}/{len(asked)}")
            if pressed == "q":
                return count or None
            if pressed == "u":
                undone = self._undo()
                number, count = max(0, number - bool(undone)), max(0, count - bool(undone))
            if pressed in ANSWERS:
                with self.transaction() as connection:
                    said = Label(asked[number].candidate.url, ANSWERS[pressed], wall_time())
                    add(connection, self.topic_id, [said])
                number, count = number + 1, count + 1
        return count

    def _ask(self, question: Question, place: str) -> str:
        """The key that was pressed; any other asks again."""
        page = question.candidate
        print(f"\n{place}  {printable(page.title) or legible(page.url)}\n    {legible(page.url)}")
        told = _("similarity {similarity:.3f}, {why}", similarity=page.similarity, why=translated(question.why))
        print(f"    {told}")
        for line in self._lines(page.url):
            print(f"    {printable(line[:WIDTH])}")
        while True:
            try:
                pressed = self.ask(KEYS).strip().lower()[:1]
            except (EOFError, KeyboardInterrupt):
                return "q"
            if pressed == "o":
                webbrowser.open(page.url)
            elif pressed in ("q", "u", *ANSWERS):
                return pressed

    def _lines(self, url: str) -> list[str]:
        """The first lines, and those that carried the judgement."""
        with self.transaction() as connection:
            body = body_of(connection, url)
        first, telling = lines_of(body, self._judge)
        return [*first, *(f"* {line}" for line in telling)]

    def _undo(self) -> str:
        with self.transaction() as connection:
            return take_back(connection, self.topic_id)

    def _learn(self, count: int) -> None:
        """Judges the stored pages again, unless a crawl is at work: it does so itself."""
        done = judge_again(self.store_url, self.topic_id, self.topic, self.judge_of)
        if done is not None:
            self.changes.append((count, done.changed / max(1, done.judged)))
        print(told_of(done))
        self._tell()

    def _tell(self) -> None:
        with self.transaction() as connection:
            judged, said = sizes(connection, self.topic_id), answered(connection, self.topic_id)
            least = threshold(connection, self.topic_id, self.topic)
            better = proposed(connection, self.topic_id, self.topic)
        found = expected(judged, said)
        if least != self.topic.threshold:
            print(_("Threshold {least:.3f} in place of {before:g}", least=least, before=self.topic.threshold))
        if found is not None:
            named = {"precision": _share(found.precision), "recall": _share(found.recall)}
            print(_("Expected: precision {precision}, recall {recall}", **named))
        elif lacks_answers_near(judged, said):
            print(_("Expected precision: not enough answers near the threshold yet."))
        if better is not None:
            print(told_of_proposal(better))
        if self._is_enough():
            print(_("The last {count} answers changed next to nothing: this is enough.", count=ENOUGH_ANSWERS))

    def _is_enough(self) -> bool:
        answers, changed = 0, 0.0
        for count, share in reversed(self.changes):
            answers, changed = answers + count, changed + share
            if answers >= ENOUGH_ANSWERS:
                return changed < ENOUGH
        return False

    def _goes_on(self) -> bool:
        try:
            return self.ask(_("Go on? [Y/n] ")).strip().lower()[:1] != "n"
        except (EOFError, KeyboardInterrupt):
            return False


def lines_of(body: str, judge: Judge) -> tuple[list[str], list[str]]:
    """The first lines of a text, and those of the others that carried its judgement."""
    lines = [line for line in body.split("\n") if line.strip()]
    worth = {line: judge.weight(line) for line in lines[FIRST_LINES:]}
    telling = sorted(worth, key=lambda line: -worth[line])[:TELLING_LINES]
    return lines[:FIRST_LINES], [line for line in telling if worth[line] > 0]


def told_of_proposal(better: float) -> str:
    return _(
        "For a precision of {precision:g} the threshold would be {better:.2f}: write precision = {precision:g} or"
        " threshold = {better:.2f} into the topic file.",
        precision=PROPOSED,
        better=better,
    )


def told_of(done: JudgingAgain | None) -> str:
    """`done`: None where a crawl is at work."""
    if done is None:
        return _("The running crawl takes these answers up.")
    named = {"judged": done.judged, "changed": done.changed}
    return _("{judged} stored pages judged again, {changed} verdicts changed", **named)


def _share(share: Share) -> str:
    return _("{value:.2f} ({low:.2f} to {high:.2f})", value=share.value, low=share.low, high=share.high)


def body_of(connection: Connection, url: str) -> str:
    """ "" where the page is not stored, or without a text."""
    stored = connection.execute(select(pages.c.body).where(pages.c.url == url)).scalar()
    return reader(connection).unpack_text(stored) if stored else ""
