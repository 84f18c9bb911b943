"""Topics: what a crawl is about, from a file of topics/ or from seeds alone."""

from __future__ import annotations

import logging
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.bundled import EXAMPLE, TOPICS
from crawler.errors import SeedError, TopicError
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.reader.html.public_addresses import Network
from crawler.reader.html.urls import host
from crawler.reader.text.harmful import Harmful
from crawler.reader.text.lexicon import Lexicon, read_words
from crawler.reader.text.tokens import normal_term, stop_words
from crawler.records import similarity_of
from crawler.topic.embeddings import load_embeddings
from crawler.topic.fields import SEE, Fields, mistake, read_harmful
from crawler.topic.learn import FULL_SHARE, LEARNED_SHARE, Background, Description, learn_vector, learner
from crawler.topic.schedule import NOBODY, Notify, Schedule, read_notify, read_schedule
from crawler.topic.seeds import seed_urls
from crawler.topic.taught import Taught
from crawler.topic.vector import TopicVector, digest_of, read_vector, write_vector

if TYPE_CHECKING:
    from crawler.topic.yardstick import Yardstick

MISFIT = _(
    "%s: the describing page '%s...' does not fit the others: similarity %.2f, threshold %g; take it out if it is not"
    " about the topic"
)
MARKS = dict(zip("，“”‘’：＝［］｛｝＃．", ",\"\"'':=[]{}#.", strict=True))  # Chinese marks, and TOML's
OPENING = 20  # characters of a describing page that name it in the log
THETA_PAGE = 0.3  # least similarity of a page that is kept, in [0, 1]; papers.md 8.2
OWN_TOPICS = Path("topics")  # of a user, below the working directory
LEARNED = ".learned.json"  # ends the name of the file with what was learned
JOINT = "+"  # between the topics' names in that of their joint harvest (crawl.topic_from_pages)

LONGEST_NAME = 100  # characters of one that there is not, as it is told
ALIKE = 0.7  # of difflib: names of which one may be meant for the other

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a crawl is about. Immutable: learning gives a new Topic."""

    name: str  # part of file names and commands
    path: Path  # the topic file; of a topic without one, where it would lie
    title: str = ""  # for people, any language
    description: str = ""  # for people; and what the topic is learned from where there is nothing else
    keywords: Mapping[str, float] = field(default_factory=dict)  # as written -> weight in (0, 1]
    struck: tuple[str, ...] = ()  # words that are none of the topic's, whatever is learned
    texts: tuple[str, ...] = ()  # describing texts, each counts as a describing page
    pages: tuple[str, ...] = ()  # describing pages: file paths or canonical URLs
    dictionaries: tuple[str, ...] = ()  # file paths of user dictionaries
    lexicon: Lexicon = ()  # with their words: how all texts of the topic are cut
    seeds: tuple[str, ...] = ()  # canonical URLs
    threshold: float = THETA_PAGE  # theta_page: least similarity of an on-topic page, as users see it
    precision: float | None = None  # wanted of the kept pages: people's answers then set the threshold
    harmful: Harmful = Harmful.KEEP  # what becomes of gambling, pornography and injected lines
    language: str = ""  # ISO 639 code of the pages wanted, "" any
    budget: int | None = None  # PAGE_BUDGET of this topic, None: the setting's
    allowed_hosts: frozenset[str] = frozenset()  # empty: all; an entry covers its subdomains
    denied_hosts: frozenset[str] = frozenset()  # stronger than allowed_hosts
    schedule: Schedule | None = None  # when it is harvested, None: when somebody says so
    notify: Notify = NOBODY  # who is told what a harvest has brought
    denied_networks: tuple[Network, ...] = ()  # of denied_hosts: no address in them is connected to
    keeps: Path | None = None  # folder for what is learned; None: the file's
    vector: TopicVector | None = None  # None until learned
    taught: Taught | None = None  # what answers have made of the vector; None: there are none
    embeddings: bool = False  # its file says so: judge by embeddings although it has words of its own
    members: tuple[Topic, ...] = ()  # of a joint topic: those that one crawl serves (crawl.topic_from_pages)
    provisional: bool = False  # named after the first seed's host, until it is learned what it is about: naming.py

    @classmethod
    def load(cls, name_or_path: str | Path, directory: Path = OWN_TOPICS) -> Topic:
        """The topic of that name in `directory`, else of the bundled ones; or of the .toml file at that path.

        What was learned of it before is loaded with it, if the file still says the same. Raises TopicError, naming
        file, key and remedy, for an unknown name and for a file that cannot be used.
        """
        path = _find(name_or_path, directory)
        return _read(path, directory if path.parent == TOPICS else None)

    @classmethod
    def from_seeds(
        cls,
        name: str,
        seeds: Iterable[str],
        directory: Path = OWN_TOPICS,
        keywords: Mapping[str, float] | None = None,
    ) -> Topic:
        """A topic without a file, to be learned from its seed pages, and from a person's `keywords` where there are
        any; kept as `directory`/NAME.learned.json.

        Two words beside five seed pages: F1 .77 in place of .71, on posts of unseen hosts (lab/benchmarks/README.md).
        Raises SeedError when there is no seed, or one that is not an http(s) URL.
        """
        urls = seed_urls(("seeds", seed) for seed in seeds)
        if not urls:
            raise SeedError(
                _("seeds: topic '{name}' has no file and no seed; give at least one http(s) URL"), name=name
            )
        path = directory / f"{name}.toml"
        if not keywords:
            return _with_learned(cls(name, path, seeds=urls))
        of_words = cls(name, path, keywords=keywords, pages=urls, seeds=urls, embeddings=True)
        return _with_learned(of_words)

    def learn(
        self, pages: Iterable[Description] = (), background: Background | None = None, *, calibrate: bool = True
    ) -> Topic:
        """This topic with its vector (step 0 of papers.md 4.8) learned from `pages` and its own texts and keywords, and
        with what its similarity means (`yardstick`), unless `calibrate` says otherwise.

        Raises TopicError when they hold no usable term, or nothing but keywords that are stop words; ModelError when
        the background of words, or what calibrates, cannot be loaded.
        """
        found = list(pages)
        if (
            not self.texts
            and not found
            and self.keywords
            and all(normal_term(word) in stop_words() for word in self.keywords)
        ):
            raise TopicError(
                _(
                    "{path}: {words} stand in pages about anything; give topic '{name}' a word, or a text, that says"
                    " what it is about"
                ),
                path=self.path,
                words=", ".join(self.keywords),
                name=self.name,
            )
        if self.by_meaning and (background is None or background.embeddings is None):
            load_embeddings()  # what is broken is told before a crawl starts
        share = FULL_SHARE if self.embeddings else LEARNED_SHARE
        learned = learn_vector(self.keywords, self.texts, found, background, self.lexicon, self.struck, share)
        if not learned.vector.weights:
            raise TopicError(
                _(
                    "{path}: the pages of topic '{name}' contain no words to learn from; give keywords,"
                    " texts or pages with text ({see})"
                ),
                path=self.path,
                name=self.name,
                see=SEE,
            )
        openings = [*self.texts, *(page.extraction.title or page.extraction.body for page in found)]
        for opening, fit in zip(openings, learned.fits, strict=False):  # there are no fits for one page alone
            if similarity_of(fit) < self.threshold:
                named = "".join(filter(str.isprintable, opening[:OPENING]))
                _log.warning(MISFIT, self.path, named, similarity_of(fit), self.threshold)
        topic = replace(self, vector=replace(learned.vector, by_meaning=self.by_meaning))
        return topic.calibrated() if calibrate else topic

    def calibrated(self, yardstick: Yardstick | None = None) -> Topic:
        """This learned topic, its similarity held against the yardstick, None: the one that comes with the project. A
        topic of words, of a sentence or of seeds alone, which says little, is widened first. Raises ModelError."""
        from crawler.topic.yardstick import load_yardstick  # takes a tenth of a second, and scikit-learn

        assert self.vector is not None
        yardstick, vector = yardstick or load_yardstick(), self.vector
        if self.by_meaning and not (self.keywords and self.describing_pages):
            vector = yardstick.widened(vector, self.struck)
        return replace(self, vector=yardstick.calibrated(vector))

    def save_learned(self) -> None:
        """Keep what was learned at `learned_path`. Raises TopicError when it cannot be written."""
        if self.vector is None:
            raise TopicError(_("{topic.path}: topic '{topic.name}' is not learned yet; call learn() first"), topic=self)
        write_vector(self.learned_path, self.name, self.digest, self.vector, learner())

    @property
    def by_meaning(self) -> bool:
        """Whether pages are judged by embeddings as well as by words. They help where nobody chose the words. For words
        that somebody chose, F1 is .03 better without them (lab/benchmarks/README.md)."""
        return self.embeddings or not (self.keywords or self.texts)

    @property
    def describing_pages(self) -> tuple[str, ...]:
        """Pages to learn from: the file's `pages`; of a topic that has no words of its own, its seeds."""
        return self.pages or (() if self.keywords or self.texts or self.members else self.seeds)

    @property
    def learned_path(self) -> Path:
        return (self.keeps or self.path.parent) / f"{self.path.stem}{LEARNED}"

    @property
    def digest(self) -> str:
        """Fingerprint of all that the vector is learned from; changes when the file is edited to another meaning."""
        return digest_of(self.keywords, self.texts, self.describing_pages, self.lexicon, self.struck)

    def allows(self, url: str) -> bool:
        """Whether the topic's hosts let `url` be fetched. A host entry covers its subdomains."""
        if self.members:
            return any(member.allows(url) for member in self.members)
        if not (self.denied_hosts or self.allowed_hosts):
            return True
        names = _self_and_parents(host(url).rstrip("."))
        if not self.denied_hosts.isdisjoint(names):
            return False
        return not self.allowed_hosts or not self.allowed_hosts.isdisjoint(names)


def of_sentence(topic: Topic, sentence: str) -> Topic:
    """The topic with nothing but a sentence that says what it is about. Its words are few, so that embeddings help:
    F1 .405 for .346 with tags hidden, .452 for .411 on forums, portals and wikis."""
    return replace(topic, description=sentence, texts=(sentence,), embeddings=True)


def topic_names(directory: Path = OWN_TOPICS) -> list[str]:
    """Names of the topic files in `directory`, sorted; the example, which explains the keys, is left out."""
    return sorted(path.stem for path in directory.glob("*.toml") if path.name != EXAMPLE.name)


def _find(name_or_path: str | Path, directory: Path) -> Path:
    """The file meant: anything that ends in .toml is a path, all else a name."""
    text = str(name_or_path)
    if text.endswith(".toml"):
        if is_file(Path(text)):
            return Path(text)
        raise TopicError(
            _("no topic file {text}; give an existing path, or the name of a topic in {directory}/"),
            text=text,
            directory=directory,
        )
    if (path := _named(text, directory)) is not None:
        return path
    members = text.split(JOINT)
    if len(members) > 1 and all(_named(member, directory) for member in members):
        raise TopicError(
            _(
                "'{text}' is the joint harvest of several topics; name one of them, for each has a harvest of its own,"
                " or crawl on for all of them: zhuti harvest {members}"
            ),
            text=text,
            members=" ".join(members),
        )
    names = sorted({*topic_names(directory), *topic_names(TOPICS)})
    learned = {path.name.removesuffix(LEARNED) for path in directory.glob(f"*{LEARNED}")}
    if text in learned:
        raise TopicError(
            _("topic {topic} has no topic file yet; write one: zhuti topic show {topic} --save {path}"),
            topic=text,
            path=directory / f"{text}.toml",
        )
    meant = [_("did you mean {near}?", near=name) for name in get_close_matches(text, {*names, *learned}, 1, ALIKE)]
    said = {"text": text[:LONGEST_NAME], "names": ", ".join(names)}
    unknown = _("unknown topic '{text}'; use one of {names}, or give the path of a .toml file", **said)
    raise TopicError("; ".join((unknown, *meant)))


def _named(name: str, directory: Path) -> Path | None:
    """The file of the topic of that name, if there is one."""
    paths = [folder / f"{name}.toml" for folder in (directory, TOPICS) if (folder / name).parent == folder]
    return next(filter(is_file, paths), None)


def is_file(path: Path) -> bool:
    """Whether the file is there; False for a name that is too long."""
    try:
        return path.is_file()
    except OSError:
        return False


def _extended(path: Path, values: dict[str, Any]) -> dict[str, Any]:
    """The keys of the bundled topic that a file extends, and its own, which are stronger; its keywords are added
    unless it says `replace = true`. Raises TopicError."""
    name, own = values["extends"], values.get("keywords")
    if name not in (known := topic_names(TOPICS)):
        raise mistake(
            path,
            "extends",
            _("is {name!r}; use the name of a bundled topic: {known}"),
            name=name,
            known=", ".join(known),
        )
    bundled = tomllib.loads((TOPICS / f"{name}.toml").read_text(encoding="utf-8"))
    if isinstance(own, dict | list) and all(isinstance(word, str) for word in own) and not values.get("replace"):
        words = own if isinstance(own, dict) else dict.fromkeys(own, 1.0)
        values = values | {"keywords": bundled["keywords"] | words}
    return bundled | values


def _refuse_chinese_mark(path: Path, error: str) -> None:
    """Raises TopicError when the parser stumbled over a mark of a Chinese input method."""
    place = re.search(r"line (\d+), column (\d+)", error)
    line = path.read_text(encoding="utf-8-sig").split("\n")[int(place[1]) - 1] if place else ""
    mark = line[int(place[2]) - 1 : int(place[2])] if place else ""
    if place and mark and mark in MARKS:
        plain = MARKS[mark]
        raise TopicError(
            _("{path}, line {n}: {mark} is a Chinese mark; write {plain}"),
            path=path,
            n=place[1],
            mark=mark,
            plain=plain,
        )


def title_of(topic: str, directory: Path) -> str:
    """The topic's title for people; its name where it has no title or no file that can be read."""
    try:
        return Topic.load(topic, directory).title or topic
    except TopicError:
        return topic


def check(path: Path, text: str) -> None:
    """Raises TopicError where a topic file with this text could not be loaded."""
    _read(path, None, text)


def _read(path: Path, keeps: Path | None, text: str | None = None) -> Topic:
    try:
        # Encoded once more: a lone surrogate is not text.
        with at_path(path, TopicError):
            text = path.read_text(encoding="utf-8-sig") if text is None else text.encode().decode()
        values = tomllib.loads(text)
    except UnicodeError as error:
        raise TopicError(_("{path}: the topic file is not UTF-8 text; save it as UTF-8"), path=path) from error
    except (ValueError, RecursionError) as error:  # tomllib leaves numbers and nesting to Python's own limits
        _refuse_chinese_mark(path, str(error))
        raise TopicError(
            _("{path}: the topic file is not valid TOML: {error}; correct that line ({see})"),
            path=path,
            error=error,
            see=SEE,
        ) from error
    if "extends" in values:
        values = _extended(path, values)
    fields = Fields(path, values)
    fields.flag("replace")
    dictionaries = fields.dictionaries()
    topic = Topic(
        name=fields.name(path.stem),
        path=path,
        title=fields.text("title"),
        description=fields.text("description"),
        keywords=fields.keywords(),
        struck=fields.texts("struck"),
        texts=fields.texts("texts"),
        pages=fields.pages(),
        dictionaries=dictionaries,
        lexicon=read_words(dictionaries),
        seeds=fields.seeds(),
        threshold=fields.threshold(THETA_PAGE),
        precision=fields.precision(),
        language=fields.language(),
        harmful=fields.table("harmful", read_harmful) or Harmful.KEEP,
        budget=fields.budget(),
        allowed_hosts=fields.hosts("allowed_hosts", networks=False),
        denied_hosts=fields.hosts("denied_hosts"),
        schedule=fields.table("schedule", read_schedule),
        notify=fields.table("notify", read_notify) or NOBODY,
        denied_networks=fields.networks("denied_hosts"),
        keeps=keeps,
        embeddings=fields.flag("embeddings"),
    )
    if not (topic.keywords or topic.texts or topic.pages or topic.seeds) and topic.description:
        topic = of_sentence(topic, topic.description)
    if not (topic.keywords or topic.texts or topic.pages or topic.seeds):
        raise TopicError(
            _(
                "{path}: 'keywords', 'texts', 'pages', 'seeds' and 'description' are all missing; give one of them"
                " ({see})"
            ),
            path=path,
            see=SEE,
        )
    return _with_learned(topic)


def _with_learned(topic: Topic) -> Topic:
    vector = read_vector(topic.learned_path, topic.digest, learner())
    return replace(topic, vector=vector and replace(vector, by_meaning=topic.by_meaning))


def _self_and_parents(host: str) -> list[str]:
    """ "a.b.cn" -> ["a.b.cn", "b.cn", "cn"]."""
    labels = host.split(".")
    return [".".join(labels[i:]) for i in range(len(labels))]
