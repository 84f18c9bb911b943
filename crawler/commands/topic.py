"""scrapy topic: the words of a topic."""

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
    usage = "show TOPIC|FILE.toml [--words N] [--save FILE.toml]"
    summary = _("Show the words of a topic with their weights, or save them as a topic file to edit")
    details = _("Works for a topic learned from seeds too: give its name from the table at the end of the crawl.")

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
        if len(args) != 2 or args[0] != "show":
            raise UsageError(_("give one topic: scrapy topic show TOPIC"))
        from crawler.topic.file_writer import as_topic_file, learned_topic

        topic = learned_topic(args[1], Path(settings["TOPICS_DIR"]), segmenter(settings))
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


def _save(text: str, path: Path) -> None:
    from crawler.store.export.atomic import whole_file

    if path.suffix != ".toml":
        raise TopicError(_("{path}: the name of a topic file ends in .toml; give another name"), path=path)
    if path.exists():
        raise TopicError(_("{path} exists already; give another file name"), path=path)
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
