"""Zhuti inside another Scrapy project: the topic spider beside the project's own spiders.

    ADDONS = {"crawler.addon.Zhuti": 100}

The project's own settings stay as they are, for its spiders and for ours; what they do not name, the topic spider takes
from `crawler.settings`. So it works in a script too, without any settings: `AsyncCrawlerProcess().crawl(TopicSpider,
topic="java")`.

Settings are changed in this module only (tests/test_layers.py).
"""

from __future__ import annotations

from scrapy.settings import BaseSettings

import crawler.settings as ours

SPIDERS = "crawler.spiders"
SUMMARY = "crawler.extensions.SummaryExtension"
COMMANDS = "crawler.commands"
COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS", "DOWNLOAD_SLOTS")
OF_A_PROJECT = ("BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE", "COMMANDS_MODULE")  # each project has its own
OURS = {name: value for name, value in vars(ours).items() if name.isupper() and name not in OF_A_PROJECT}


def decide(settings: BaseSettings, **values: object) -> None:
    """Sets what the program decides, above the project's settings: a process gives its crawlers those once more. What
    the user says on the command line is stronger."""
    for name, value in values.items():
        settings.set(name, value, "spider")


def derive(settings: BaseSettings, **values: object) -> None:
    """Replaces what the user said, wherever that was, by what follows from it."""
    for name, value in values.items():
        settings.set(name, value, "cmdline")


class Zhuti:
    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        settings.add_to_list("SPIDER_MODULES", SPIDERS)

    def update_settings(self, settings: BaseSettings) -> None:
        if settings["COMMANDS_MODULE"] != COMMANDS:  # ours print the table themselves, when the process ends
            decide(settings, EXTENSIONS={**settings.getdict("EXTENSIONS"), SUMMARY: 0})


def complete(settings: BaseSettings) -> None:
    """Gives a crawl for a topic what it needs: our components beside the project's, our defaults below its settings."""
    decide(settings, **{name: {**OURS[name], **settings.getdict(name)} for name in COMPONENTS})
    for name in OURS.keys() - set(COMPONENTS):
        settings.set(name, OURS[name], "addon")
    decide(settings, SCHEDULER=ours.SCHEDULER)  # without the frontier there is no crawl
