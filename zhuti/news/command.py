"""zhuti news: what the last run of a topic has brought."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.options import Number
from crawler.tell.command import CrawlerCommand


class Command(CrawlerCommand):
    usage = "TOPIC [--run ID] [--limit N] [--feed FILE] [--webhook URL]"
    takes = (1,)
    summary = _("Show which pages of a topic are new, changed or gone since the last run")
    details = _(
        "Prints the pages that the last run found to be new, changed or gone. --feed writes an Atom feed"
        " of the topic's newest pages; --webhook sends the news as JSON and retries twice."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--run", default="last", metavar="ID", help=_("news of this run; by default the last run"))
        shown = Number(_("pages"), least=1)
        parser.add_argument(
            "--limit", type=shown, metavar="N", help=_("show at most N pages of each kind; the totals stay complete")
        )
        parser.add_argument("--feed", type=Path, metavar="FILE", help=_("write an Atom feed of the newest pages"))
        parser.add_argument("--webhook", metavar="URL", help=_("send the news to this address as JSON"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from crawler.database.database import Database
        from crawler.questions.runs import run_named
        from crawler.topic.files import title_of
        from zhuti.news.news import newest, news_of
        from zhuti.news.news_output import ENTRIES, post, sentences, summary, write_feed

        with Database(settings["STORE_URL"], readonly=True) as database, database.transaction() as connection:
            topic_id, run = run_named(connection, args[0], opts.run)
            news = news_of(connection, args[0], topic_id, run, opts.limit)
            items = newest(connection, topic_id, ENTRIES) if opts.feed else ()
        if opts.webhook:  # first: a mistake is not told below some hundred lines of news
            post(opts.webhook, summary(news))
        for sentence in sentences(news):
            print(sentence)
        if opts.feed:
            write_feed(opts.feed, args[0], title_of(args[0], Path(settings["TOPICS_DIR"])), items)
            print(_("{count} entries written to {feed}", count=len(items), feed=opts.feed))
        return 0
