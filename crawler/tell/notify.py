"""Tells whom a topic's file names what its newest run has brought."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.database.database import Database
from crawler.questions.news import newest, news_of
from crawler.questions.runs import NEWEST, run_named
from crawler.tell.news_output import ENTRIES, TOLD, post, summary, write_feed
from crawler.topic.files import Topic

FEED = "feed.xml"  # beside the topic's reports


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
