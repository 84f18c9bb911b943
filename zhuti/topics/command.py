"""zhuti topic: the words of a topic, to be seen and changed."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.errors import TopicError
from crawler.messages import _
from crawler.options import Number
from crawler.reader.text.printable import printable
from crawler.tell.command import CrawlerCommand

if TYPE_CHECKING:
    from crawler.topic.files import Topic

WORDS_SHOWN = 40
VERBS = ("show", "suggest", "accept", "strike", "add")
SUGGESTED = 0.5  # weight of a word that was suggested: as of the strongest that is learned beside keywords


class Command(CrawlerCommand):
    usage = "show TOPIC [--save FILE.toml] | suggest TOPIC | accept|strike|add TOPIC WORD ..."
    summary = _("Show the words of a topic with their weights, strike or add words, or save them as a topic file")
    details = _(
        "Works for a topic learned from seeds too: give its name from the table at the end of the crawl. suggest tells"
        " which words its kept pages have and it has not, and which of its own they lack; accept takes suggested words"
        " over. accept, strike and add (WORD or WORD=WEIGHT) write the topic's file; a struck word stays struck when"
        " the topic is learned again."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        words = Number(_("words"), least=1)
        parser.add_argument(
            "--words",
            type=words,
            default=WORDS_SHOWN,
            metavar="N",
            help=_("number of words to show; default {shown}", shown=WORDS_SHOWN),
        )
        parser.add_argument("--save", type=Path, metavar="FILE.toml", help=_("write a topic file with all words"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        verb, *rest = args or [""]
        if verb not in VERBS or (len(rest) != 1 if verb in ("show", "suggest") else len(rest) < 2):
            raise UsageError(_("give a topic: zhuti topic show TOPIC, or words too: zhuti topic strike TOPIC WORD"))
        from crawler.topic.file_writer import as_topic_file, change_words, learned_topic

        folder = Path(settings["TOPICS_DIR"])
        topic = learned_topic(rest[0], folder)
        if verb == "suggest":
            return _suggest(topic, settings)
        if verb != "show":
            added = _weights(rest[1:], SUGGESTED if verb == "accept" else 1.0) if verb != "strike" else {}
            path = change_words(topic, folder, added, () if added else rest[1:])
            print(_("Written into {path}.", path=path))
            rejudge = shlex.join(["zhuti", "rejudge", topic.name])
            print(_("For the pages that are harvested already: {rejudge}", rejudge=rejudge))
            return 0
        text = as_topic_file(topic, (opts.save or topic.path).parent)
        if opts.save is not None:
            _save(text, opts.save)
            crawl = shlex.join(["zhuti", "crawl", "topic", "-a", f"topic={opts.save}", "-a", "seeds=URL,URL"])
            print(_("Saved. Edit {save}, then: {crawl}", save=opts.save, crawl=crawl))
            rejudge = shlex.join(["zhuti", "rejudge", str(opts.save)])
            print(_("For the pages that are harvested already: {rejudge}", rejudge=rejudge))
            return 0
        assert topic.vector is not None
        named = {"name": topic.name, "count": len(topic.vector.weights), "threshold": topic.threshold}
        print(_("{name}: {count} words; pages with similarity {threshold:g} or more are kept", **named))
        for word in topic.vector.heaviest(opts.words):
            print(f"  {topic.vector.relevance(word):.3f}  {printable(word)}")
        return 0


def _suggest(topic: Topic, settings: BaseSettings) -> int:
    from crawler.database.database import Database
    from crawler.store.names import topic_id_of
    from zhuti.topics.suggestions import suggestions

    with Database(settings["STORE_URL"], readonly=True) as database, database.transaction() as connection:
        found = suggestions(connection, topic_id_of(connection, topic.name), topic)
    if not found.pages:
        print(_("No page is kept yet; start a crawl for the topic."))
        return 0
    print(_("Words of {count} kept pages that the topic lacks, with the number of pages:", count=found.pages))
    print("\n".join(f"  {count:4}  {printable(word)}" for word, count in found.gained) or _("None."))
    print(_("Strong words of the topic that none of these pages contains:"))
    print("\n".join(f"        {printable(word)}" for word in found.lost) or _("None."))
    accept = shlex.join(["zhuti", "topic", "accept", topic.name])
    print(_("To take some over: {accept} WORD ...", accept=accept))
    return 0


def _weights(words: list[str], usual: float) -> dict[str, float]:
    """Reads WORD or WORD=WEIGHT. Raises TopicError."""
    found = {}
    for written in words:
        word, _equals, weight = written.partition("=")
        try:
            found[word.strip()] = float(weight or usual)
        except ValueError:
            found[word.strip()] = 0.0
        if not 0 < found[word.strip()] <= 1 or not any(map(str.isalnum, word)):
            raise TopicError(
                _("{written!r} is not a word with a weight; write WORD, or WORD=0.8 with a weight above 0, at most 1"),
                written=written,
            )
    return found


def _save(text: str, path: Path) -> None:
    from zhuti.whole_file import whole_file

    if path.suffix != ".toml":
        raise TopicError(_("{path}: the name of a topic file ends in .toml; give another name"), path=path)
    if path.exists():
        raise TopicError(_("{path} exists already; give another file name"), path=path)
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
