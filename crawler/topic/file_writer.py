"""Topic files that are written: a learned topic, to be edited; new seeds in a file whose comments and order stay."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import tomlkit
from tomlkit.items import Array

from crawler.bundled import TOPICS
from crawler.errors import TopicError
from crawler.messages import _
from crawler.topic.files import OWN_TOPICS, Topic
from crawler.topic.learn import COHERENCE
from crawler.topic.schedule import read_schedule
from crawler.topic.vector import read_vector

HEAD = _(
    "# Words learned of '{name}' with their weights. Take out what does not belong, add what is"
    " missing.\nname = {quoted}\nthreshold = {threshold:.6g}  # keeps the pages that were kept"
    " with the learned words; higher keeps fewer\n"
)

LAST_LINE = re.compile(r"\n\s*\]$")  # the closing bracket on a line of its own


def learned_topic(name_or_path: str, directory: Path = OWN_TOPICS) -> Topic:
    """The topic with its words: of a file, or learned from seeds by a crawl. Raises TopicError."""
    kept = directory / f"{name_or_path}.learned.json"
    try:
        topic = Topic.load(name_or_path, directory)
    except TopicError:
        vector = read_vector(kept) if kept.parent == directory else None
        if vector is None:
            raise
        return Topic(name_or_path, kept.with_name(f"{name_or_path}.toml"), vector=vector)
    if topic.vector is None and any("://" in page for page in topic.describing_pages):
        raise TopicError(
            _("topic '{name}' has not been learned from its pages yet; start a crawl for it"), name=topic.name
        )
    return topic if topic.vector is not None or topic.describing_pages else topic.learn()


def as_topic_file(topic: Topic) -> str:
    """TOML. Nearness to a topic with keywords alone is measured in another unit (learn.COHERENCE), so the threshold
    is another too. Raises TopicError for a topic that has learned no words."""
    if topic.vector is None:
        raise TopicError(_("topic '{name}' has no learned words yet; start a crawl for it"), name=topic.name)
    words = topic.vector.heaviest(len(topic.vector.weights))
    lines = [f"{_quoted(word)} = {topic.vector.relevance(word):.6g}" for word in words]
    odds = topic.threshold * (topic.vector.unit / COHERENCE) ** 3  # the third power: records.similarity_of
    threshold = odds / (odds + 1.0 - topic.threshold)
    head = HEAD.format(name=topic.name, quoted=_quoted(topic.name), threshold=threshold)
    seeds = f"seeds = {json.dumps(topic.seeds, ensure_ascii=False)}\n" if topic.seeds else ""
    return head + seeds + "\n[keywords]\n" + "\n".join(lines) + "\n"


def schedule(name: str, folder: Path, every: str) -> Path:
    """Gives the topic `[schedule] every` in its file, or in a new file of the folder that extends the bundled one; the
    path of that. The file is whole at any time. Raises TopicError for an unknown topic or a time that is none."""
    topic = Topic.load(name, folder)
    path = topic.path
    if path.parent == TOPICS:
        path = folder / path.name
        document = tomlkit.document()
        document["extends"] = topic.name
    else:
        document = tomlkit.parse(path.read_text(encoding="utf-8-sig"))
    if "schedule" not in document:
        document["schedule"] = tomlkit.table()
    table = document["schedule"]
    assert isinstance(table, dict)
    table.pop("cron", None)
    table["every"] = every
    read_schedule(dict(table), lambda key, why, **named: TopicError(f"'{key}' {why.format(**named)}"))
    _write(path, document)
    return path


def _quoted(text: str) -> str:
    """A JSON string is a TOML string."""
    return json.dumps(text, ensure_ascii=False)


def add_seeds(path: Path, urls: Sequence[str]) -> None:
    """Adds the URLs at the end of `seeds`. The file is whole at any time. Raises TopicError."""
    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8-sig"))
        if "seeds" not in document:
            document.add("seeds", tomlkit.array().multiline(True))
        seeds = document["seeds"]
        assert isinstance(seeds, Array)
        for url in urls:
            seeds.add_line(url)
        if not LAST_LINE.search(seeds.as_string()):
            seeds.add_line(indent="")
    except OSError as error:
        raise _unwritable(path, error) from error
    _write(path, document)


def _write(path: Path, document: tomlkit.TOMLDocument) -> None:
    partial = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(tomlkit.dumps(document), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> TopicError:
    return TopicError(
        _("{path}: cannot write the topic file ({error.strerror}); make it writable"), path=path, error=error
    )
