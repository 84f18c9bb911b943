"""zhuti crawl: Scrapy's own command, with one sentence for a user's mistake and a table at the end."""

from __future__ import annotations

import argparse
import asyncio
import gc
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.crawler import Crawler, CrawlerProcessBase
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from crawler.errors import CrawlerError, SettingError
from crawler.exits import print_error
from crawler.messages import _
from crawler.plugins import part
from crawler.tell.command import CrawlerCommand

if TYPE_CHECKING:
    from crawler.crawl.session import Session

ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
NOT_THERE = (ImportError, NameError)  # what Scrapy raises for a component that cannot be loaded


class Command(CrawlerCommand, ScrapyCrawl):
    requires_crawler_process = True
    usage = "topic [-a topic=NAME|FILE.toml] [-a seeds=URL,URL|FILE] [options]"
    takes = (1,)
    summary = _("Crawl pages about a topic: -a topic=NAME|FILE.toml -a seeds=URL,URL|FILE")
    details = _(
        "Crawl pages about a topic: a bundled one or a file (-a topic=NAME|FILE.toml), several with commas between"
        ' them; or one that is learned from -a seeds=URL,URL|FILE, -a words="WORD WORD" or -a about="SENTENCE", and'
        " called -a name=NAME. -s CONTACT=me@my.org says whom site owners ask, -s PAGE_BUDGET=500 how many pages are"
        " fetched. The same command continues a crawl."
    )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        assert self.crawler_process is not None
        try:
            crawler = self._create_crawler(args[0])
        except KeyError as error:
            raise SettingError(_("unknown spider {name!r}; use: zhuti crawl topic"), name=args[0]) from error
        except NOT_THERE as error:
            raise _not_there(error) from error
        _check_parts(crawler)
        return crawl(self.crawler_process, crawler, **opts.spargs)


def _check_parts(crawler: Crawler) -> None:
    """Raises SettingError for parts of Scrapy with which a crawl for a topic would do nothing, or fail."""
    from crawler.scheduler import FrontierScheduler
    from crawler.spiders.topic import TopicSpider

    settings = crawler.settings
    wrong = {"TWISTED_REACTOR": ASYNCIO} if settings["TWISTED_REACTOR"] != ASYNCIO else {}
    if issubclass(crawler.spidercls, TopicSpider):
        try:
            scheduler = load_object(settings["SCHEDULER"])
        except NOT_THERE as error:
            raise _not_there(error) from error
        if FrontierScheduler not in getattr(scheduler, "__mro__", ()):  # issubclass() lets all of Scrapy's pass
            wrong["SCHEDULER"] = FrontierScheduler.__name__
    for name, needed in wrong.items():
        raise SettingError(
            _("{name}={given} cannot be used; a crawl needs {needed}"), name=name, given=settings[name], needed=needed
        )


def _not_there(error: BaseException) -> SettingError:
    return SettingError(
        _("a component that the settings name cannot be loaded ({error}); correct its path in settings.py or after -s"),
        error=error,
    )


def _keep_what_is_loaded() -> None:
    """The process is there for one crawl: what is loaded by now lives as long as it does. To go through all of it took
    each full collection a tenth of a second, in which the event loop stood still, and a crawl 8 % of its CPU."""
    gc.freeze()


def _judge_for_members(session: Session, settings: BaseSettings) -> CrawlerError | None:
    """Gives each topic of a joint crawl a harvest of its own from what was fetched for all, as by `zhuti
    rejudge`."""
    try:
        for member in session.topic.members:
            judging = part("rejudge").rejudge(member, None, settings, session.pool, only_new=True)
            print(asyncio.run(judging).told(member.name))
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
        if spider.session.ready.is_set() or error is None:
            print_end(spider.session, crawler.settings, str(reason), failed=error is not None)
        if error is None:
            error = _judge_for_members(spider.session, crawler.settings)
    if isinstance(error, CrawlerError):
        return print_error(error)
    if error is not None:
        raise error
    return int(process.bootstrap_failed)
