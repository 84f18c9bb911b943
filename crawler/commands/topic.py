"""scrapy topic: the words of a topic, to be seen and changed."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.command import CrawlerCommand
from crawler.errors import TopicError
from crawler.messages import _
from crawler.options import Number, segmenter
from crawler.text.printable import as_called, printable

SHOWN = 40


class Command(CrawlerCommand):
    usage = "show TOPIC [--words N] [--save FILE.toml] | strike TOPIC WORD ... | add TOPIC WORD[=WEIGHT] ..."
    summary = _("Show the words of a topic with their weights, strike or add words, or save them as a topic file")
    details = _(
        "Works for a topic learned from seeds too: give its name from the table at the end of the crawl. strike and add"
        " write the topic's file; a struck word stays struck when the topic is learned again."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        words = Number(_("words"), least=1)
        parser.add_argument(
            "--words",
            type=words,
            default=SHOWN,
            metavar="N",
            help=_("number of words to show; default {shown}", shown=SHOWN),
        )
        parser.add_argument("--save", type=Path, metavar="FILE.toml", help=_("write a topic file with all words"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        verb, *rest = args or [""]
        if verb not in ("show", "strike", "add") or (len(rest) != 1 if verb == "show" else len(rest) < 2):
            raise UsageError(_("give a topic: scrapy topic show TOPIC, or words too: scrapy topic strike TOPIC WORD"))
        from crawler.topic.file_writer import as_topic_file, change_words, learned_topic

        folder = Path(settings["TOPICS_DIR"])
        topic = learned_topic(rest[0], folder, segmenter(settings))
        if verb != "show":
            added = _weights(rest[1:]) if verb == "add" else {}
            path = change_words(topic, folder, added, () if added else rest[1:])
            print(_("Written into {path}.", path=path))
            rejudge = shlex.join(["scrapy", "rejudge", topic.name])
            print(as_called(_("For the pages that are harvested already: {rejudge}", rejudge=rejudge)))
            return 0
        text = as_topic_file(topic, (opts.save or topic.path).parent)
        if opts.save is not None:
            _save(text, opts.save)
            crawl = shlex.join(["scrapy", "crawl", "topic", "-a", f"topic={opts.save}", "-a", "seeds=URL,URL"])
            print(as_called(_("Saved. Edit {save}, then: {crawl}", save=opts.save, crawl=crawl)))
            rejudge = shlex.join(["scrapy", "rejudge", str(opts.save)])
            print(as_called(_("For the pages that are harvested already: {rejudge}", rejudge=rejudge)))
            return 0
        assert topic.vector is not None
        named = {"name": topic.name, "count": len(topic.vector.weights), "threshold": topic.threshold}
        print(_("{name}: {count} words; pages with similarity {threshold:g} or more are kept", **named))
        for word in topic.vector.heaviest(opts.words):
            print(f"  {topic.vector.relevance(word):.3f}  {printable(word)}")
        return 0


def _weights(words: list[str]) -> dict[str, float]:
    """Of WORD or WORD=WEIGHT. Raises TopicError."""
    found = {}
    for written in words:
        word, _equals, weight = written.partition("=")
        try:
            found[word.strip()] = float(weight or 1.0)
        except ValueError:
            found[word.strip()] = 0.0
        if not 0 < found[word.strip()] <= 1 or not any(map(str.isalnum, word)):
            raise TopicError(
                _("{written!r} is no word with a weight; write WORD, or WORD=0.8 with a weight above 0, at most 1"),
                written=written,
            )
    return found


def _save(text: str, path: Path) -> None:
    from crawler.store.export.atomic import whole_file

    if path.suffix != ".toml":
        raise TopicError(_("{path}: the name of a topic file ends in .toml; give another name"), path=path)
    if path.exists():
        raise TopicError(_("{path} exists already; give another file name"), path=path)
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
