"""zhuti topics: the topics, their last and next runs, and what they bring."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.tell.command import CrawlerCommand


class Command(CrawlerCommand):
    takes = (0,)
    summary = _("List the topics: last and next run, pages, new pages of the last run, trend")
    details = _(
        "Lists the topics of the database and those that have a [schedule]. new: pages kept for the first time in the"
        " last run; rate: new pages per page fetched; trend: new pages of the last eight runs."
    )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from crawler.clock import wall_time
        from zhuti.topics.topic_list import print_topics

        print_topics(settings["STORE_URL"], Path(settings["TOPICS_DIR"]), wall_time())
        return 0
