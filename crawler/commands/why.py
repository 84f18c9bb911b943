"""scrapy why: how a URL was found, what it scored and on what evidence, and what came of it."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.bar import shown
from crawler.cli.command import CrawlerCommand
from crawler.cli.why_text import Waits, as_text, parents_text, scores_text
from crawler.database.database import Database
from crawler.errors import SeedError, TopicError
from crawler.html.urls import canonical
from crawler.scorers.registry import scorer
from crawler.store.fetch_log import FetchLog, Scoring
from crawler.store.why.facts import Known, known
from crawler.store.why.parents import parents
from crawler.store.why.score_history import history, times
from crawler.topic.files import Topic


class Command(CrawlerCommand):
    def syntax(self) -> str:
        return "URL [--topic T] [--quick]"

    def short_desc(self) -> str:
        return "Explain why a URL was kept, dropped or still waits, where it was found and how it was scored"

    def long_desc(self) -> str:
        return (
            "To tell the scores, the crawl's link scorer learns its log again, up to the moment when the URL was"
            " fetched. That takes as long as starting the crawl does; --quick leaves the scores out."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--topic", metavar="T", help="only this topic; by default all that know the URL")
        parser.add_argument("--quick", action="store_true", help="leave out the history of its scores")

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if len(args) != 1:
            raise UsageError("name one URL: scrapy why https://a.example/post.html")
        forms = _forms(args[0])
        waits = Waits(time.time(), settings.getfloat("DOWNLOAD_DELAY"), settings.getint("HOSTS_AT_ONCE"))
        with Database(settings["STORE_URL"], readonly=True) as database:
            for place, found in enumerate(known(database, forms, opts.topic)):
                print("\n" if place else "", end="")
                print(as_text(found, waits, _forbidden(found, settings)), flush=True)
                _tell_parents(database, found)
                if not opts.quick:
                    _tell_scores(database, found, settings["LINK_SCORER"])
        return 0


def _forms(address: str) -> list[str]:
    """Canonical; without a scheme it may be either. Raises SeedError."""
    tried = [address] if "://" in address else [f"https://{address}", f"http://{address}"]
    forms = [form for form in map(canonical, tried) if form is not None]
    if not forms:
        raise SeedError(f"{address!r} is not an http(s) address; write it as in a browser's address line")
    return forms


def _forbidden(found: Known, settings: BaseSettings) -> bool:
    """By the topic's file as it is today, where it can be read."""
    try:
        return not Topic.load(found.topic, Path(settings["TOPICS_DIR"])).allows(found.url)
    except TopicError:
        return False


def _tell_parents(database: Database, found: Known) -> None:
    with database.transaction(shared=True) as connection, shown("links") as progress:
        pages = parents(connection, found.topic_id, found.url, progress)
    print(parents_text(pages), flush=True)


def _tell_scores(database: Database, found: Known, default: str) -> None:
    """`default`: the scorer of a harvest that has not noted its own."""
    scorings = found.scorings or (Scoring(0, 0.0, default),)
    ended = [fetch.id for fetch in found.fetches if fetch.ends]
    until = ended[0] if ended else found.newest_fetch
    with database.transaction(shared=True) as connection, shown("log") as progress:
        changes = history(
            FetchLog(found.topic_id),
            connection,
            found.url,
            until,
            scorings,
            scorer,
            lambda fetch_id: progress(fetch_id, until),
        )
        when = times(connection, [change.fetch_id for change in changes])
    print(scores_text(found, changes, when, noted=bool(found.scorings)))
