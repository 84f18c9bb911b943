"""zhuti harvest: crawls the topics that are due by their schedules."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.addon import decide
from crawler.commands.crawl import crawl
from crawler.errors import ExportError
from crawler.exits import FAILED, print_error
from crawler.messages import _, ngettext
from crawler.plugins import RUN_ENDED, hooks
from crawler.tell.command import CrawlerCommand

if TYPE_CHECKING:
    from crawler.database.database import Database
    from crawler.topic.files import Topic

SEEDS = "seeds="


class Command(CrawlerCommand):
    requires_crawler_process = True
    usage = "[TOPIC [-a seeds=URL,URL|FILE] [--now | --every TIME] | TOPIC TOPIC... -a seeds=URL,URL|FILE | --watch]"
    summary = _("Crawl the topics that are due by the [schedule] of their files, and report what is new")
    details = _(
        "Crawls every topic that is due, one after the other, and exits: for cron, systemd timers and"
        " the like. The first run of a topic spends its page budget; later runs revisit known pages and"
        " fetch new ones. Each run writes a report. With TOPIC, only that topic; with several, one crawl for"
        " them all, now. Exit status: 0 done, or nothing due; 1 a run failed;"
        " 2 a mistake to correct; 3 another process is crawling the topic."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--now", action="store_true", help=_("crawl TOPIC now, even if it is not due or has no schedule")
        )
        parser.add_argument(
            "--every",
            metavar="TIME",
            help=_("crawl TOPIC on a schedule from now on: 6h, 1d, 2w; writes its topic file"),
        )
        parser.add_argument(
            "-a",
            dest="arguments",
            action="append",
            default=[],
            metavar="seeds=URL,URL|FILE",
            help=_("where the crawl of TOPIC starts, also of its later runs; writes its topic file"),
        )
        parser.add_argument("--watch", action="store_true", help=_("keep running and crawl each topic when it is due"))

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        self.requires_crawler_process = bool(args)  # without a topic, each run is a process of its own
        super().process_options(args, opts)

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if any(not argument.startswith(SEEDS) for argument in opts.arguments):
            raise UsageError(_("a harvest takes -a seeds=URL,URL or -a seeds=FILE; its topic is given by name"))
        if len(args) > 1 and opts.every:
            raise UsageError(
                _("several topics have no schedule; call zhuti harvest {names} by a timer", names=" ".join(args))
            )
        if len(args) > 1 and not opts.watch:
            return self._together(args, opts.arguments, settings)
        if ((opts.now or opts.every or opts.arguments) and not args) or (opts.watch and args):
            raise UsageError(_("give one topic or none: zhuti harvest, zhuti harvest --watch, zhuti harvest TOPIC"))
        from crawler.runs.harvester import Harvester

        if opts.watch:
            return Harvester(settings).watch()
        if not args:
            return Harvester(settings).run_due()
        from crawler.runs.harvester import exclusively
        from crawler.topic.files import Topic

        folder = Path(settings["TOPICS_DIR"])
        for argument in opts.arguments:
            from crawler.topic.file_writer import add_seeds
            from crawler.topic.seeds import read_seeds

            urls = read_seeds(argument.removeprefix(SEEDS))
            path = add_seeds(Topic.load(args[0], folder), urls, folder)
            print(ngettext("{count} seed added to {path}", "{count} seeds added to {path}", len(urls), path=path))
        if opts.every:
            from crawler.topic.file_writer import schedule

            print(_("Schedule written to {path}.", path=schedule(args[0], folder, opts.every)))
        topic = Topic.load(args[0], folder)
        with exclusively(settings["STORE_URL"], topic.name) as database:
            return self._harvest(topic, database, settings, opts.now)

    def _together(self, names: list[str], arguments: list[str], settings: BaseSettings) -> int:
        """Runs one crawl for all of them, now: schedules and reports are those of harvests of their own."""
        seeds = ",".join(argument.removeprefix(SEEDS) for argument in arguments)
        assert self.crawler_process is not None
        return crawl(
            self.crawler_process, self.crawler_process.create_crawler("topic"), topic=",".join(names), seeds=seeds
        )

    def _harvest(self, topic: Topic, database: Database, settings: BaseSettings, now: bool) -> int:
        from crawler.clock import wall_time
        from crawler.database.database import Database
        from crawler.questions.runs import past_runs
        from crawler.runs.due import due_in, limits, told_time

        runs, moment = past_runs(database, topic.name), wall_time()
        if not now and (next_run := due_in(database, topic, moment)) > moment:
            print(
                _(
                    "Topic {name} is not due before {next_run} UTC.",
                    name=topic.name,
                    next_run=told_time(topic, next_run),
                )
            )
            return 0
        decide(settings, **limits(topic, runs))
        assert self.crawler_process is not None
        status = crawl(self.crawler_process, self.crawler_process.create_crawler("topic"), topic=str(topic.path))
        with Database(settings["STORE_URL"], readonly=True) as after:  # the other connection was idle for hours
            newest = past_runs(after, topic.name)[:1]
        if newest == runs[:1]:
            return status
        for told in hooks(RUN_ENDED):
            try:
                told(settings, topic, newest[0].id)
            except ExportError as error:  # what was harvested is stored, and nobody else shall miss it
                print_error(error)
                status = status or FAILED
        return status
