"""zhuti label: what people say of pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.errors import LabelError
from crawler.messages import _
from crawler.options import topic_name
from crawler.plugins import part
from crawler.reader.text.printable import legible, warn
from crawler.tell.command import CrawlerCommand

if TYPE_CHECKING:
    from sqlalchemy import Connection

ANSWERS = ("yes", "no", "unsure")


class Command(CrawlerCommand):
    usage = (
        "TOPIC [URL yes|no|unsure] [--import FILE] [--export FILE] [--conflicts] [--ask-model N [--agreement SHARE]]"
    )
    takes = (1, 3)
    summary = _("Answer whether pages belong to a topic: one after the other, by URL, or from a file")
    details = _(
        "Without a URL it shows one page after the other and asks. The answers teach the topic's judge: a running crawl"
        " takes them up at once, a harvest that has ended with `zhuti rejudge TOPIC`. A URL need not have been"
        " fetched: its answer is used once the page is there."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--import", type=Path, dest="source", metavar="FILE", help=_("read answers, .csv or .jsonl")
        )
        parser.add_argument("--export", type=Path, dest="target", metavar="FILE", help=_("write all answers"))
        parser.add_argument(
            "--ask-model", type=int, metavar="N", help=_("let the model at MODEL_URL answer about N pages")
        )
        parser.add_argument(
            "--agreement",
            type=float,
            metavar="SHARE",
            help=_("with --ask-model: count its answers without asking you, if it agrees with this share of yours"),
        )
        parser.add_argument("--conflicts", action="store_true", help=_("list pages that were answered yes and no"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        options = (opts.source, opts.target, opts.conflicts or None, opts.ask_model)
        ways = [len(args) == 3, *(option is not None for option in options)]
        if opts.agreement is not None and opts.ask_model is None:
            raise UsageError(_("--agreement belongs to --ask-model N"))
        if sum(ways) > 1:
            raise UsageError(_("give one topic, and a URL with its answer or one option: zhuti label TOPIC URL yes"))
        topic, url = topic_name(args[0]), settings["STORE_URL"]
        if len(args) == 3:
            return _answer(topic, url, *args[1:])
        if opts.source is not None:
            return _import(topic, url, opts.source)
        if opts.target is not None:
            return _export(topic, url, opts.target)
        if opts.conflicts:
            return _conflicts(topic, url)
        if opts.ask_model is not None:
            if opts.ask_model < 1:
                raise UsageError(_("--ask-model: give a number of pages, at least 1"))
            if not 0 <= (opts.agreement or 0) <= 1:
                raise UsageError(_("--agreement: give a share from 0 to 1, such as 0.9"))
            return int(part("labeller").ask_model(topic, opts.ask_model, opts.agreement, settings))
        from zhuti.label.session import label

        return label(topic, settings)


@contextmanager
def written(url: str) -> Iterator[Connection]:
    """A transaction beside whatever crawl is at work. A harvest that is not there yet is made."""
    from crawler.database.database import Database, parsed, sqlite_path

    path = sqlite_path(parsed(url))
    with Database(url, beside=path is None or path.is_file()) as database, database.transaction() as connection:
        yield connection


def _answer(topic: str, store: str, url: str, answer: str) -> int:
    from crawler.clock import wall_time
    from crawler.labels.labels import Answer, Label, add, topic_row
    from zhuti.label.files import label_url

    if answer not in ANSWERS:
        raise LabelError(_("{answer!r} is not an answer; give yes, no or unsure"), answer=answer)
    label = Label(label_url(url, "label"), Answer(answer), wall_time())
    with written(store) as connection:
        add(connection, topic_row(connection, topic), [label])
    return 0


def _import(topic: str, store: str, source: Path) -> int:
    from crawler.clock import wall_time
    from crawler.labels.labels import add, topic_row
    from zhuti.label.files import read

    found = read(source, topic, wall_time())
    if found.foreign:
        warn(_("{source}: these columns are not read: {names}", source=source, names=", ".join(found.foreign)))
    with written(store) as connection:
        new = add(connection, topic_row(connection, topic), found.labels)
    print(_("{new} answers stored; {known} were there already", new=new, known=len(found.labels) - new))
    return 0


def _export(topic: str, store: str, target: Path) -> int:
    from crawler.database.database import Database
    from crawler.labels.labels import every
    from crawler.store.names import topic_id_of
    from zhuti.label.files import write

    with Database(store, readonly=True) as database, database.transaction() as connection:
        found = every(connection, topic_id_of(connection, topic))
    print(_("{count} answers written to {target}", count=write(target, topic, found), target=target))
    return 0


def _conflicts(topic: str, store: str) -> int:
    from crawler.database.database import Database
    from crawler.labels.labels import conflicts, every
    from crawler.store.names import topic_id_of

    with Database(store, readonly=True) as database, database.transaction() as connection:
        found = conflicts(every(connection, topic_id_of(connection, topic)))
    for url, said in found.items():
        print(f"{legible(url)}\n    {', '.join(label.answer for label in said)}")
    print(_("{count} pages were answered yes and no; the last answer counts", count=len(found)))
    return 0
