"""zhuti crawl: Scrapy's own command, with one sentence for a user's mistake and a table at the end."""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.crawler import Crawler, CrawlerProcessBase
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.addon import decide
from crawler.errors import CrawlerError, SettingError
from crawler.exits import print_error
from crawler.messages import _
from crawler.plugins import part
from crawler.tell.command import check_early, check_options, tell_other_store
from crawler.tell.help import translate
from crawler.tell.json_log import log_as_json

if TYPE_CHECKING:
    from crawler.crawl.session import Session

NOT_THERE = (ImportError, NameError)  # what Scrapy raises for a component that cannot be loaded


class Command(ScrapyCrawl):
    def syntax(self) -> str:
        return "[options] topic"

    def short_desc(self) -> str:
        return _("Crawl pages about a topic: -a topic=NAME|FILE.toml -a seeds=URL,URL|FILE")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        translate(parser, self.settings)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        check_early(self.settings)
        tell_other_store(self.settings)
        quiet_on_terminal(self.settings)
        log_as_json(self.settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        check_options(args)
        if len(args) != 1:
            raise UsageError(_("give one spider: zhuti crawl topic -a topic=NAME -a seeds=URL,URL"))
        assert self.crawler_process is not None
        try:
            crawler = self._create_crawler(args[0])
        except KeyError:
            self.exitcode = print_error(
                SettingError(_("unknown spider {name!r}; use: zhuti crawl topic"), name=args[0])
            )
            return
        except NOT_THERE as error:
            self.exitcode = print_error(_not_there(error))
            return
        self.exitcode = crawl(self.crawler_process, crawler, **opts.spargs)


def _not_there(error: BaseException) -> SettingError:
    return SettingError(
        _("a component that the settings name cannot be loaded ({error}); correct its path in settings.py or after -s"),
        error=error,
    )


def quiet_on_terminal(settings: BaseSettings) -> None:
    """There the live line says how far the crawl is."""
    if sys.stderr.isatty() and not settings["LOG_FILE"]:
        decide(settings, LOG_LEVEL="WARNING")


def _keep_what_is_loaded() -> None:
    """The process is there for one crawl: what is loaded by now lives as long as it does. To go through all of it took
    each full collection a tenth of a second, in which the event loop stood still, and a crawl 8 % of its CPU."""
    gc.freeze()


def _judge_for_members(session: Session, settings: BaseSettings) -> CrawlerError | None:
    """After a crawl for several topics: each gets a harvest of its own from what was fetched for all, as by `zhuti
    rejudge`."""
    try:
        for member in session.topic.members:
            print(asyncio.run(part("rejudge").rejudge(member, None, settings, session.pool)).told(member.name))
    except CrawlerError as error:
        return error
    return None


def crawl(process: CrawlerProcessBase, crawler: Crawler, **arguments: str) -> int:
    """Crawls to the end, prints what was harvested and, if the crawl ended early, why. Returns the exit status."""
    from crawler.extensions import print_end
    from crawler.spiders.topic import TopicSpider

    crawler.signals.connect(_keep_what_is_loaded, signals.engine_started)
    task = process.crawl(crawler, **arguments)
    assert isinstance(task, asyncio.Task)
    process.start()
    spider = crawler.spider
    error = task.exception() if task.done() and not task.cancelled() else None
    if isinstance(error, NOT_THERE):  # before it began
        error = _not_there(error)
    if isinstance(spider, TopicSpider):
        error = error or spider.session.error
        reason = crawler.stats.get_value("finish_reason", "shutdown") if crawler.stats else "shutdown"
        print_end(spider.session, crawler.settings, str(reason), failed=error is not None)
        if error is None:
            error = _judge_for_members(spider.session, crawler.settings)
    if isinstance(error, CrawlerError):
        return print_error(error)
    if error is not None:
        raise error
    return int(process.bootstrap_failed)
