"""`zhuti label TOPIC --ask quality`: a person, or a model, grades kept pages, and a model of quality is learned."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from scrapy.settings import BaseSettings

from crawler.clock import wall_time
from crawler.errors import LabelError
from crawler.labels.labels import Who
from crawler.messages import _, translated
from crawler.reader.text.printable import legible, printable
from zhuti.label.keys import key
from zhuti.labeller.chat import Chat
from zhuti.quality.grades import GradedText, add, read
from zhuti.quality.model import BEST, GRADES, learned, load
from zhuti.quality.texts import Text, ungraded

LINES, WIDTH = 8, 160  # of a text that are shown, and characters of each
COMPARED = 30  # a person's own grades, with which a model's are compared
LEAST = 20  # grades from which on a model of quality is learned; fewer hardly change the bundled one
NEAR = 1  # grades apart that count as agreement: two readings of a page differ by no more (lab/benchmarks/README.md)
KEYS = _("[0]-[5] for the grade, [s]kip, [o]pen, [q]uit: ")
TASK = """You grade how much a reader can learn from the text of a web page, whatever it is about.
Look at what is explained and how clearly, not at its length or at who wrote it."""

Ask = Callable[[str], str]


def ask_person(topic: str, settings: BaseSettings, ask: Ask = key) -> int:
    """Asks until nothing is left or the person ends it. Raises CrawlerError."""
    path = Path(settings["QUALITY_GRADES"])
    texts = ungraded(settings["STORE_URL"], topic, {one.url for one in read(path)})
    for grade, meaning in enumerate(GRADES):
        print(f"  {grade}  {translated(meaning)}")
    count = 0
    for text in texts:
        pressed = _pressed(text, ask)
        if pressed == "q":
            break
        if pressed != "s":
            add(path, [GradedText(*text, int(pressed), wall_time())])
            count += 1
    else:
        print(_("Nothing is left to ask about."))
    print(_("New grades in {path}: {count}", count=count, path=path))
    _learn(topic, path)
    return 0


def ask_model(topic: str, most: int, agreement: float | None, settings: BaseSettings, ask: Ask = input) -> int:
    """Lets the model at LABELLER_URL grade so many pages. What it graded before an error stays. `agreement`: as for
    a topic; two grades agree that are NEAR each other. Raises CrawlerError."""
    path = Path(settings["QUALITY_GRADES"])
    chat = Chat(settings["LABELLER_URL"], settings["LABELLER_MODEL"])
    known = read(path)
    texts = ungraded(settings["STORE_URL"], topic, {one.url for one in known})
    share = _agreement(chat, [one for one in known if one.who == Who.PERSON])
    if not (_is_wanted(ask, most) if agreement is None else share >= agreement):
        print(_("The model's answers do not count."))
        return 0
    count = 0
    for text, _number in zip(texts, range(most), strict=False):
        grade = _grade_of(chat, text.title, text.body)
        if grade is not None:
            add(path, [GradedText(*text, grade, wall_time(), Who.MODEL)])
            count += 1
    print(_("New grades in {path}: {count}", count=count, path=path))
    _learn(topic, path)
    return 0


def _pressed(text: Text, ask: Ask) -> str:
    """The key that was pressed; whatever is none asks again."""
    print(f"\n{printable(text.title) or legible(text.url)}\n    {legible(text.url)}")
    lines = [line for line in text.body.split("\n") if line.strip()]
    for line in lines[:LINES]:
        print(f"    {printable(line[:WIDTH])}")
    print(_("    {lines} lines, {characters} characters", lines=len(lines), characters=len(text.body)))
    while True:
        try:
            pressed = ask(KEYS).strip().lower()[:1]
        except (EOFError, KeyboardInterrupt):
            return "q"
        if pressed == "o":
            webbrowser.open(text.url)
        elif pressed in ("s", "q", *map(str, range(BEST + 1))):
            return pressed


def _grade_of(chat: Chat, title: str, body: str) -> int | None:
    """None for an answer that is not a grade."""
    choices: list[tuple[int | None, str]] = [(grade, str(meaning)) for grade, meaning in enumerate(GRADES)]
    return chat.choose(TASK, choices, None, title, body).answer


def _agreement(chat: Chat, own: list[GradedText]) -> float:
    """The share of a person's latest grades to which the model's are near; 0 where there are none."""
    if not own:
        print(_("You have graded no page yet, so nothing tells how far the model agrees with you."))
        return 0.0
    pairs = [(one.grade, _grade_of(chat, one.title, one.body)) for one in own[-COMPARED:]]
    near = [other is not None and abs(grade - other) <= NEAR for grade, other in pairs]
    told = {"model": chat.model, "near": sum(near), "count": len(near)}
    print(_("{model} is at most one grade from yours on {near} of {count} pages", **told))
    return fmean(near)


def _is_wanted(ask: Ask, most: int) -> bool:
    try:
        said = ask(_("Let it answer about {most} pages, and count its answers? [y/N] ", most=most))
    except (EOFError, KeyboardInterrupt):
        return False
    return said.strip().lower()[:1] == "y"


def _learn(topic: str, path: Path) -> None:
    """Writes a model beside the grades, once there are enough."""
    known = read(path)
    if len(known) < LEAST:
        print(_("Grades so far: {count}; a model of quality is learned from {least} on", count=len(known), least=LEAST))
        return
    place = path.with_suffix(".model.json")
    texts, grades = [(one.title, one.body) for one in known], [float(one.grade) for one in known]
    try:
        learned(texts, grades, load()).save(place)
    except OSError as error:
        raise LabelError(_("{path} cannot be written: {error}"), path=place, error=error) from error
    command = f"zhuti export {topic} OUT --quality 0.5 -s QUALITY_MODEL={place}"
    print(_("Learned from {count} grades. To use it: {command}", count=len(known), command=command))
