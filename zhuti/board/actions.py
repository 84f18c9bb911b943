"""What the board changes: each is what a command would do, and is logged."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.clock import wall_time
from crawler.database.database import Database, existing
from crawler.errors import InUse, SettingError
from crawler.frontier.steering import Action, Steer, add as add_steer, patterns
from crawler.labels.judge_again import judge_again
from crawler.labels.labels import Answer, Label, Who, add as add_labels, take_back
from crawler.messages import _, translated
from crawler.mistakes import at_path
from crawler.reader.html.urls import canonical
from crawler.reader.text.printable import minute, printable, to_stderr
from crawler.runs.harvester import PROGRAM, given
from crawler.store.names import topic_id_of, whole_host
from crawler.topic.fields import NAME
from crawler.topic.file_writer import add_seeds, begin, change_words, learned_topic, notify, schedule
from crawler.topic.files import Topic
from crawler.topic.judge import page_judge
from crawler.topic.schedule import Notify
from zhuti.label.files import label_url
from zhuti.label.session import told_of
from zhuti.upkeep.forget import Order, forget, told_afterwards

ACTIONS = {"steer", "label", "undo", "judge", "seed", "word", "forget", "run", "may_run", "stop", "plan", "begin"}
WHO = "zhuti serve"
NOT_SAID = {"form_token", "back"}  # fields of each form
LOG = "log.txt"  # of the last run that a board has started, beside the topic's reports
LOGGED = 1_000_000  # bytes
BETWEEN_SEEDS = re.compile(r"\s+|[，；、]|,(?=https?:)")


class Actions:
    """What a form of the board does. All methods take the topic's name and the fields of a form, and return a sentence
    for whoever sent it. They raise CrawlerError for a mistake."""

    def __init__(self, settings: BaseSettings, name: str = WHO, who: Who = Who.PERSON) -> None:
        """`name`: whose steers they are. `who`: whose answers."""
        self._settings = settings
        self._name = name
        self._who = who
        self._url: str = settings["STORE_URL"]
        self._folder = Path(settings["TOPICS_DIR"])
        self._starting = threading.Lock()
        self._runs: dict[str, subprocess.Popen[bytes]] = {}  # that were started here, by topic

    def do(self, name: str, topic: str, form: Mapping[str, str]) -> str:
        """Raises SettingError for an action that there is not."""
        if name not in ACTIONS:
            raise SettingError(_("the board knows no action {name!r}"), name=name)
        _check(topic, form)
        told: str = getattr(self, f"_{name}")(topic, form)
        fields = " ".join(printable(key) for key in sorted(form.keys() - NOT_SAID))  # what they hold may be a secret
        to_stderr(f"{minute(wall_time())} {name} {topic} ({fields}): {printable(told)}")
        return told

    def is_running_here(self, topic: str) -> bool:
        """Whether a run that was started here is under way."""
        return topic in self._runs and self._runs[topic].poll() is None

    def _steer(self, topic: str, form: Mapping[str, str]) -> str:
        wanted = form.get("action", "")
        if wanted not in list(Action):
            raise SettingError(_("give block, boost or clear"))
        steers = [
            Steer(pattern, Action(wanted), wall_time(), self._name) for pattern in patterns(form.get("pattern", ""))
        ]
        if not steers:
            raise SettingError(_("give a host, *.host, or how an address begins"))
        with Database(self._url, beside=True) as database, database.transaction() as connection:
            for steer in steers:
                add_steer(connection, topic_id_of(connection, topic), steer)
        named = ", ".join(steer.pattern for steer in steers)
        return _("{action} {named}: obeyed from the next claim of a crawl.", action=translated(wanted), named=named)

    def _label(self, topic: str, form: Mapping[str, str]) -> str:
        if form.get("answer") not in list(Answer):
            raise SettingError(_("give yes, no or unsure"))
        if not (named := form.get("url", "").splitlines()):
            raise SettingError(_("tick a page first"))
        said = [Label(label_url(url, "label"), Answer(form["answer"]), wall_time(), self._who) for url in named]
        with Database(self._url, beside=True) as database, database.transaction() as connection:
            add_labels(connection, topic_id_of(connection, topic), said)
        return _("Answer stored.") if len(said) == 1 else _("{count} answers stored.", count=len(said))

    def _undo(self, topic: str, form: Mapping[str, str]) -> str:
        with Database(self._url, beside=True) as database, database.transaction() as connection:
            url = take_back(connection, topic_id_of(connection, topic))
        return _("The answer about {url} was taken back.", url=url) if url else _("There is no answer to take back.")

    def _judge(self, topic: str, form: Mapping[str, str]) -> str:
        learned = learned_topic(topic, self._folder)
        with Database(self._url, readonly=True) as database, database.transaction(shared=True) as connection:
            topic_id = topic_id_of(connection, topic)
        return told_of(judge_again(self._url, topic_id, learned, page_judge(self._settings["PAGE_JUDGE"])))

    def _seed(self, topic: str, form: Mapping[str, str]) -> str:
        found = Topic.load(topic, self._folder)
        home = canonical(form.get("home", ""))
        if home is None:
            raise SettingError(_("give the address of a home page"))
        return _("Written into {path}.", path=add_seeds(found, [home], self._folder))

    def _word(self, topic: str, form: Mapping[str, str]) -> str:
        word = form.get("word", "").strip()
        if not any(map(str.isalnum, word)):
            raise SettingError(_("give a word"))
        learned = learned_topic(topic, self._folder)
        is_struck = form.get("change") == "strike"
        path = change_words(learned, self._folder, {} if is_struck else {word: 1.0}, [word] if is_struck else [])
        return _("Written into {path}.", path=path)

    def _forget(self, topic: str, form: Mapping[str, str]) -> str:
        host = whole_host(form.get("host", ""), SettingError)
        try:
            with existing(self._url) as database:
                done = forget(database, Order(host, topic=topic), told_afterwards(self._settings))
        except InUse as error:
            raise SettingError(_("a crawl is at work; stop it first")) from error
        return _("{pages} pages of {host} forgotten", pages=done.pages, host=host)

    def _run(self, topic: str, form: Mapping[str, str]) -> str:
        """Starts a process that goes on when the board ends. `requests`: of a crawl apart from the topic's schedule."""
        with self._starting:
            self._may_run(topic, form)
            if requests := form.get("requests"):
                self._start(topic, ["crawl", "topic", "-a", f"topic={topic}", "-s", f"RUN_BUDGET={requests}"])
            else:
                self._start(topic, ["harvest", topic, "--now"])
        return _("The run of topic {name} has begun.", name=topic)

    def _start(self, topic: str, words: list[str]) -> None:
        command = [*PROGRAM, *words, *given(self._settings)]
        path = self._log_path(topic)
        with at_path(path, SettingError, "REPORTS_DIR"):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as log:
                self._runs[topic] = subprocess.Popen(
                    command, start_new_session=True, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
                )

    def _may_run(self, topic: str, form: Mapping[str, str]) -> str:
        """Raises CrawlerError for a topic that there is not, or that is being crawled."""
        if self.is_running_here(topic):
            raise SettingError(_("topic {topic} is being crawled already"), topic=topic)
        return str(Topic.load(topic, self._folder).path)

    def _log_path(self, topic: str) -> Path:
        return Path(self._settings["REPORTS_DIR"]) / topic / LOG

    def log(self, topic: str) -> str:
        """What the last run that a board has started wrote last, at most LOGGED bytes; "" where none was."""
        _check(topic, {})
        path = self._log_path(topic)
        try:
            with path.open("rb") as log:
                log.seek(max(0, path.stat().st_size - LOGGED))
                return log.read().decode("utf-8", "replace")
        except OSError:  # there is none
            return ""

    def _begin(self, topic: str, form: Mapping[str, str]) -> str:
        seeds = list(filter(None, BETWEEN_SEEDS.split(form.get("seeds", ""))))
        text, words = form.get("text", "").strip(), form.get("words", "").strip()
        if words and not (seeds or text) and self._settings["SEED_SOURCE"] and NAME.fullmatch(topic):
            self._start(topic, ["crawl", "topic", "-a", f"name={topic}", "-a", f"words={words}"])
            return _("The run of topic {name} has begun.", name=topic)
        path = begin(topic, self._folder, words, seeds, text, form.get("hosts", "").split())
        return _("Written into {path}. It is crawled when you say so.", path=path)

    def _plan(self, topic: str, form: Mapping[str, str]) -> str:
        """When the topic is crawled, and who is told what that has brought."""
        found = Topic.load(topic, self._folder)
        when, wanted = form.get("when", "").strip(), Notify(form.get("webhook", "").strip(), "feed" in form)
        path = found.path
        if when != (found.schedule.written if found.schedule else ""):
            path = schedule(topic, self._folder, when)
        if wanted != found.notify:
            path = notify(topic, self._folder, wanted)
        return _("Written into {path}.", path=path)

    def _stop(self, topic: str, form: Mapping[str, str]) -> str:
        if not self.is_running_here(topic):
            raise SettingError(_("this board has started no run of {topic}; stop it where it was started"), topic=topic)
        self._runs[topic].send_signal(signal.SIGTERM)
        return _("The run ends after the pages under way.")


def _check(topic: str, form: Mapping[str, str]) -> None:
    """Checks all that a form or a tool says. Raises SettingError."""
    if "/" in topic or "\\" in topic or topic in (".", ".."):
        raise SettingError(
            _("the name {name!r} cannot be used in file names; use letters, digits and hyphens"), name=topic
        )
    for name, said in {"topic": topic, **form}.items():
        if "\0" in said or any("\ud800" <= character <= "\udfff" for character in said):
            raise SettingError(_("{name} holds a NUL, or half of a character; take it out"), name=name)
