"""Zhuti inside another Scrapy project: the topic spider beside the project's own spiders.

    ADDONS = {"crawler.addon.Zhuti": 100}

The project's own settings stay as they are, for its spiders and for ours; what they do not name, the topic spider takes
from `crawler.settings`. So it works in a script too, without any settings: `AsyncCrawlerProcess().crawl(TopicSpider,
topic="java")`.

Settings are changed in this module only (tests/test_layers.py).
"""

from __future__ import annotations

import logging

from scrapy.settings import BaseSettings

import crawler.settings as ours
from crawler.messages import _

logger = logging.getLogger(__name__)

SPIDERS = "crawler.spiders"
SUMMARY = "crawler.extensions.SummaryExtension"
COMMANDS = "crawler.commands"
COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS", "DOWNLOAD_SLOTS")
OF_A_PROJECT = ("BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE", "COMMANDS_MODULE")  # each project has its own
FORMER = {  # names before 0.3; they go with 0.4
    "LABELLER_URL": "MODEL_URL",
    "LABELLER_MODEL": "MODEL_NAME",
    "MAX_PAGES_PER_HOST": "MAX_PAGES_PER_DOMAIN",
}
# Settings that went with version 0.3, each with a sentence that says what stands for it. The sentences go with 0.4.
REMOVED = {
    "REUSE": _("REUSE was removed in version 0.3: -a topic=NAME,NAME fetches each page once for several topics"),
    "CLOCK": _("CLOCK was removed in version 0.3: set ZHUTI_CLOCK in the environment, in seconds"),
    "CDX_URL": _("CDX_URL was removed in version 0.3: zhuti seeds find --from cdx:ADDRESS asks the archive for seeds"),
    "SEARCH_DIR": _("SEARCH_DIR was removed in version 0.3: PostgreSQL harvests have their index in REPORTS_DIR"),
    **dict.fromkeys(
        ("TDMREP_OBEY", "AI_TXT_OBEY"), _("MINING_TAGS_OBEY replaces TDMREP_OBEY and AI_TXT_OBEY since 0.3")
    ),
    **{
        name: _("{name} was removed in version 0.3: the crawl uses its former default; take it out", name=name)
        for name in ("CHANGED_SHARE", "INDEX_FILE_GUESSES", "PROGRESS_INTERVAL", "REPORTS_KEEP")
    },
}
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


def tell_former(settings: BaseSettings) -> None:
    """Takes settings that are renamed or gone out, with a sentence each; a renamed one counts under its new name."""
    for former in (FORMER.keys() | REMOVED.keys()) & set(settings):
        if former in FORMER:
            logger.warning(_("the setting %s is called %s since version 0.3; use the new name"), former, FORMER[former])
            settings.set(FORMER[former], settings[former], settings.getpriority(former) or 0)
        elif settings[former] not in ("", None):
            logger.warning("%s", REMOVED[former])
        settings.delete(former, "cmdline")


def complete(settings: BaseSettings) -> None:
    """Gives a crawl for a topic what it needs: our components beside the project's, our defaults below its settings."""
    tell_former(settings)
    decide(settings, **{name: {**OURS[name], **settings.getdict(name)} for name in COMPONENTS})
    for name in OURS.keys() - set(COMPONENTS):
        settings.set(name, OURS[name], "addon")
    decide(settings, SCHEDULER=ours.SCHEDULER)  # without the frontier there is no crawl
