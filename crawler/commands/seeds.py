"""scrapy seeds: hosts that were found on the way, as seeds of a topic."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.checks import Number
from crawler.cli.command import CrawlerCommand

LIMIT = 20


class Command(CrawlerCommand):
    usage = "TOPIC [HOST ...] [--limit N] [--accept]"
    summary = "Propose new seeds: hosts that gave pages on the topic, or to which such pages link"
    details = (
        "Proposes hosts that are no seeds yet: those that gave pages at no lower rate than all hosts together, and"
        " unvisited ones to which kept pages of several hosts link. --accept writes them into the topic's file,"
        " or only the HOSTs named."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        hosts = Number("hosts", least=1)
        parser.add_argument("--limit", type=hosts, default=LIMIT, metavar="N", help=f"at most N, by default {LIMIT}")
        parser.add_argument("--accept", action="store_true", help="write them into the topic's file")

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if not args:
            raise UsageError("name one topic: scrapy seeds TOPIC")
        from crawler.bundled import TOPICS
        from crawler.cli.terminal import warn
        from crawler.database.database import Database
        from crawler.errors import SeedError, TopicError
        from crawler.store.names import host_name, topic_id_of
        from crawler.store.new_hosts import new_hosts
        from crawler.topic.files import Topic
        from crawler.topic.seeding import add_seeds

        folder = Path(settings["TOPICS_DIR"])
        topic = Topic.load(args[0], folder)
        wanted = {host_name(host, SeedError) for host in args[1:]}
        with Database(settings["STORE_URL"], readonly=True) as database, database.transaction() as connection:
            found = new_hosts(connection, topic_id_of(connection, topic.name), topic.seeds)
        found = [host for host in found if topic.allows(host.home) and (not wanted or host.name in wanted)]
        if missing := wanted - {host.name for host in found}:
            raise SeedError(f"{', '.join(sorted(missing))} is not among the hosts that `scrapy seeds` proposes")
        found = found[: opts.limit]
        for host in found:
            links = f"{host.links} links from {host.linking} other hosts"
            print(f"{host.home}\n    {host.kept} of {host.judged} pages on the topic; {links}")
        if not found:
            print("No new host deserves to be a seed yet.")
        elif not opts.accept:
            print("--accept writes them into the topic's file; name hosts to choose some.")
        elif topic.path.parent == TOPICS:
            raise TopicError(f"{topic.path} came with the program; copy it into {folder}/ first")
        else:
            add_seeds(topic.path, [host.home for host in found])
            print(f"{len(found)} seeds written into {topic.path}")
            if topic.describing_pages == topic.seeds:
                warn("this topic is learned from its seeds: the next crawl learns it anew, with these among them")
        return 0
