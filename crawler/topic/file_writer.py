"""Topic files that are written: a learned topic, to be edited; new seeds in a file whose comments and order stay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

import tomlkit
from tomlkit.items import Array, Table

from crawler.bundled import EXAMPLE, TOPICS
from crawler.errors import TopicError
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.reader.text.tokens import normal_term
from crawler.topic.fields import NAME
from crawler.topic.files import LEARNED, OWN_TOPICS, Topic, check, is_file, topic_names
from crawler.topic.learn import COHERENCE
from crawler.topic.of_words import keywords_of
from crawler.topic.schedule import CRON_FIELDS, Notify, read_notify, read_schedule
from crawler.topic.seeds import read_seeds
from crawler.topic.vector import read_vector

HEAD = _(
    "# Words learned of '{name}' with their weights. Take out what does not belong, add what is"
    " missing.\nname = {quoted}\nthreshold = {threshold:.6g}  # keeps the pages that were kept"
    " with the learned words; higher keeps fewer\n"
)

LAST_LINE = re.compile(r"\n\s*\]$")  # the closing bracket on a line of its own


def known_topic(name_or_path: str, directory: Path = OWN_TOPICS) -> Topic:
    """Loads a topic from its file, or the one that a crawl learned from seeds. Raises TopicError."""
    kept = directory / f"{name_or_path}{LEARNED}"
    try:
        return Topic.load(name_or_path, directory)
    except TopicError:
        vector = read_vector(kept) if kept.parent == directory and is_file(kept) else None
        if vector is None:
            raise
        return Topic(name_or_path, kept.with_name(f"{name_or_path}.toml"), vector=vector)


def learned_topic(name_or_path: str, directory: Path = OWN_TOPICS) -> Topic:
    """Loads a topic as `known_topic` does, and learns its words. Raises TopicError."""
    topic = known_topic(name_or_path, directory)
    if topic.vector is None and any("://" in page for page in topic.describing_pages):
        raise TopicError(
            _("topic '{name}' has not been learned from its pages yet; start a crawl for it"), name=topic.name
        )
    return topic if topic.vector is not None or topic.describing_pages else topic.learn()


def as_topic_file(topic: Topic, folder: Path) -> str:
    """TOML, for a file in `folder`. A topic with keywords alone measures its words in another unit (learn.COHERENCE),
    so the threshold is another too. Raises TopicError for a topic that has learned no words, and for a dictionary that
    is not below the folder."""
    if topic.vector is None:
        raise TopicError(_("topic '{name}' has no learned words yet; start a crawl for it"), name=topic.name)
    words = topic.vector.heaviest(len(topic.vector.weights))
    lines = [f"{_quoted(word)} = {topic.vector.relevance(word):.6g}" for word in words]
    power = 1.5 if topic.by_meaning else 3  # similarity_of takes nearness to the third; words are half of it, or all
    odds = topic.threshold * (topic.vector.unit / COHERENCE) ** power
    threshold = odds / (odds + 1.0 - topic.threshold)
    head = HEAD.format(name=topic.name, quoted=_quoted(topic.name), threshold=threshold)
    head += "embeddings = true\n" if topic.by_meaning else ""
    lists = {"seeds": topic.seeds, "dictionaries": [_below(folder, path) for path in topic.dictionaries]}
    kept = "".join(f"{key} = {json.dumps(list_, ensure_ascii=False)}\n" for key, list_ in lists.items() if list_)
    return head + kept + "\n[keywords]\n" + "\n".join(lines) + "\n"


def _below(folder: Path, dictionary: str) -> str:
    """The dictionary's path as a topic file in `folder` names it."""
    path, folder = Path(dictionary).resolve(), folder.resolve()
    if not path.is_relative_to(folder):
        raise TopicError(
            _("the topic has the dictionary {path}; save it in that folder, or in one above"), path=dictionary
        )
    return path.relative_to(folder).as_posix()


def schedule(name: str, folder: Path, when: str) -> Path:
    """Gives the topic a `[schedule]` in its file, or in a new file of the folder that extends the bundled one; the path
    of that. `when`: a time as of `every`, or as of `cron`; "" takes both away. The file is whole at any time. Raises
    TopicError for an unknown topic or a time that is not one."""
    path, document = _own_file(Topic.load(name, folder), folder)
    table = _table(document, "schedule")
    for key in ("every", "cron"):
        table.pop(key, None)
    if when:
        table["cron" if len(when.split()) == CRON_FIELDS else "every"] = when
        read_schedule(table.unwrap(), _told)
    else:
        document.remove("schedule")
    _write(path, document)
    return path


def notify(name: str, folder: Path, wanted: Notify) -> Path:
    """Writes the `[notify]` of a topic file."""
    path, document = _own_file(Topic.load(name, folder), folder)
    table = _table(document, "notify")
    table.update({"webhook": wanted.webhook, "feed": wanted.feed})
    read_notify(table.unwrap(), _told)
    _write(path, document)
    return path


def _table(document: tomlkit.TOMLDocument, name: str) -> Table:
    """The table of that name in the document, or a new one."""
    if name not in document:
        document[name] = tomlkit.table()
    table = document[name]
    assert isinstance(table, Table)
    return table


def _told(key: str, why: str, /, **named: object) -> TopicError:
    return TopicError(f"'{key}' {why.format(**named)}")


def change_words(topic: Topic, folder: Path, added: Mapping[str, float], struck: Sequence[str]) -> Path:
    """Adds keywords with their weights in (0, 1], and strikes words: these are learned no more. The path of the file:
    the topic's own; for a bundled topic a new one in `folder` that extends it; for a topic that a crawl learned from
    seeds a new one with all its words.

    Raises TopicError for a struck word that the topic has not, and for a file that cannot be written."""
    assert topic.vector is not None
    terms = {word: normal_term(word) for word in struck}
    known = topic.vector.weights.keys() | topic.keywords.keys()
    if missing := [word for word in terms if not known & {word, terms[word]}]:
        raise TopicError(
            _("{missing} is not a word of topic '{name}'; see them with: zhuti topic show {name}"),
            missing=", ".join(missing),
            name=topic.name,
        )
    path, document = _own_file(topic, folder)
    barred = set(terms.values())
    if added or any(normal_term(word) in barred for word in topic.keywords):
        table = document.get("keywords")
        if not isinstance(table, Table):  # a list, or none: those of the topic that it extends are not written again
            document["keywords"] = dict.fromkeys(document.get("keywords", ()), 1.0)
            table = document["keywords"]
        for word in [word for word in table if normal_term(word) in barred]:
            table.remove(word)
        table.update(added)
        if not table:
            document.remove("keywords")
    stay = [word for word in dict.fromkeys([*topic.struck, *struck]) if word not in added]
    if stay != list(topic.struck):
        document["struck"] = stay
    _write(path, document)
    _keep_learned(topic, Topic.load(path), added, barred)
    return path


def _keep_learned(topic: Topic, changed: Topic, added: Mapping[str, float], barred: Set[str]) -> None:
    """What a crawl has learned from pages of the Web is changed in the same way: they need not be fetched again."""
    if changed.vector is None and any("://" in page for page in changed.describing_pages) and topic.vector:
        weights = {term: weight for term, weight in topic.vector.weights.items() if term not in barred}
        weights |= {normal_term(word): weight * topic.vector.largest for word, weight in added.items()}
        if weights:
            replace(changed, vector=replace(topic.vector, weights=weights)).save_learned()


def _own_file(topic: Topic, folder: Path) -> tuple[Path, tomlkit.TOMLDocument]:
    """A topic's file to write into, and what is to be in it."""
    if topic.path.parent == TOPICS:
        document = tomlkit.document()
        document["extends"] = topic.name
        return folder / topic.path.name, document
    exists = topic.path.exists()
    text = topic.path.read_text(encoding="utf-8-sig") if exists else as_topic_file(topic, folder)
    return topic.path, tomlkit.parse(text)


def topic_file(words: str, pages: Sequence[str], text: str = "") -> str:
    """TOML of a topic in a person's own words, with the pages that describe it and from which its crawl starts, and
    perhaps a text that describes it. Raises SeedError for words that cannot be used."""
    document = tomlkit.document()
    if words:
        document["title"] = words
        document["embeddings"] = True  # two or three words are not all that a topic says
        document["keywords"] = list(keywords_of(words))
    if text:
        document["texts"] = [text]
    for key in ("pages", "seeds"):
        document[key] = tomlkit.array().multiline(True)
        document[key].extend(pages)
    return tomlkit.dumps(document)


def begin(name: str, folder: Path, words: str, seeds: Sequence[str], text: str, hosts: Sequence[str] = ()) -> Path:
    """Writes the file of a new topic, in a person's words. `hosts`: the only ones that its crawl may visit; none: any.
    Raises CrawlerError for what cannot be used, and for a name that is taken."""
    path = folder / f"{name}.toml"
    if not NAME.fullmatch(name):
        raise TopicError(
            _("the name {name!r} cannot be used in file names; use letters, digits and hyphens"), name=name
        )
    if name in {*topic_names(folder), *topic_names(TOPICS), EXAMPLE.stem}:
        raise TopicError(_("there is a topic {name} already; give another name"), name=name)
    if not seeds:
        raise TopicError(_("give at least one seed: the address of a page about the topic, or of a site with many"))
    urls = read_seeds(seeds)
    document = tomlkit.parse(topic_file(words, urls, text))
    if hosts:
        document["allowed_hosts"] = list(hosts)
    _write(path, document)
    return path


def _quoted(text: str) -> str:
    """A JSON string is a TOML string."""
    return json.dumps(text, ensure_ascii=False)


def add_seeds(topic: Topic, urls: Sequence[str], folder: Path = OWN_TOPICS) -> Path:
    """Adds the URLs that the topic has not at the end of its `seeds`. The path of the file: the topic's own; for a
    bundled topic a new one in `folder` that extends it. The file is whole at any time. Raises TopicError."""
    with at_path(topic.path, TopicError):
        path, document = _own_file(topic, folder)
    if "seeds" not in document:
        document.add("seeds", tomlkit.array().multiline(True))
    seeds = document["seeds"]
    assert isinstance(seeds, Array)
    for url in urls:
        if url not in topic.seeds:
            seeds.add_line(url)
    if not LAST_LINE.search(seeds.as_string()):
        seeds.add_line(indent="")
    _write(path, document)
    return path


def _write(path: Path, document: tomlkit.TOMLDocument) -> None:
    """Raises TopicError, also for a file that could not be loaded: it is not written then."""
    text = tomlkit.dumps(document)
    check(path, text)
    partial = path.with_name(f".{path.name}.part")
    with at_path(path, TopicError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
