"""After a run of `zhuti harvest`: its report, and the news for whom the topic's file names."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.database.database import Database
from crawler.messages import _
from crawler.questions.runs import NEWEST, run_named
from crawler.topic.files import Topic
from zhuti.news.news import newest, news_of
from zhuti.news.news_output import ENTRIES, TOLD, post, summary, write_feed
from zhuti.news.run_report import write_report

FEED = "feed.xml"  # beside the topic's reports


def run_ended(settings: BaseSettings, topic: Topic, run: int) -> None:
    """The hook `zhuti.run_ended`. Raises StoreError, ExportError."""
    with Database(settings["STORE_URL"], readonly=True) as database:
        print(_("Report: {path}", path=write_report(database, topic.name, settings, str(run))))
        notify(database, topic, settings)


def notify(database: Database, topic: Topic, settings: BaseSettings) -> None:
    """Raises StoreError; ExportError where the feed cannot be written, or the webhook does not take the news."""
    wanted = topic.notify
    with database.transaction(shared=True) as connection:
        topic_id, run = run_named(connection, topic.name, NEWEST)
        news = news_of(connection, topic.name, topic_id, run, TOLD)
        items = newest(connection, topic_id, ENTRIES) if wanted.feed else ()
    if wanted.feed:
        path = Path(settings["REPORTS_DIR"]) / topic.name / FEED
        write_feed(path, topic.name, topic.title or topic.name, items)
    if wanted.webhook:
        post(wanted.webhook, summary(news))
