"""scrapy seeds: hosts that were found on the way, as seeds of a topic."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.cli.command import CrawlerCommand
from crawler.messages import _
from crawler.options import Number

LIMIT = 20


class Command(CrawlerCommand):
    usage = "TOPIC [HOST ...] [--limit N] [--accept]"
    summary = _("Propose new seeds: hosts that gave pages on the topic")
    details = _(
        "Proposes hosts that are not seeds yet: those that gave at least 3 pages on the topic, and whose share"
        " of such pages is at least the crawl's mean. --accept writes them, or only the HOSTs given, into the"
        " topic file."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        hosts = Number(_("hosts"), least=1)
        parser.add_argument(
            "--limit", type=hosts, default=LIMIT, metavar="N", help=_("propose at most N; default {limit}", limit=LIMIT)
        )
        parser.add_argument("--accept", action="store_true", help=_("write them into the topic file"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if not args:
            raise UsageError(_("give one topic: scrapy seeds TOPIC"))
        from crawler.bundled import TOPICS
        from crawler.database.database import Database
        from crawler.errors import SeedError, TopicError
        from crawler.store.names import host_name, topic_id_of
        from crawler.store.new_hosts import new_hosts
        from crawler.text.printable import legible, warn
        from crawler.topic.file_writer import add_seeds
        from crawler.topic.files import Topic

        folder = Path(settings["TOPICS_DIR"])
        topic = Topic.load(args[0], folder)
        wanted = {host_name(host, SeedError) for host in args[1:]}
        with Database(settings["STORE_URL"], readonly=True) as database, database.transaction() as connection:
            found = new_hosts(connection, topic_id_of(connection, topic.name), topic.seeds)
        found = [host for host in found if topic.allows(host.home) and (not wanted or host.name in wanted)]
        if missing := wanted - {host.name for host in found}:
            raise SeedError(
                _("{missing} is not among the hosts that `scrapy seeds` proposes"), missing=", ".join(sorted(missing))
            )
        found = found[: opts.limit]
        for host in found:
            links = _("{count} links from {linking} other hosts", count=host.links, linking=host.linking)
            named = {"home": legible(host.home), "kept": host.kept, "judged": host.judged, "links": links}
            print(_("{home}\n    {kept} of {judged} pages on the topic; {links}", **named))
        if not found:
            print(_("No new host qualifies as a seed yet."))
        elif not opts.accept:
            print(_("--accept writes them into the topic file; give hosts to choose some."))
        elif topic.path.parent == TOPICS:
            raise TopicError(
                _("{path} is a bundled topic; copy it into {folder}/ first"), path=topic.path, folder=folder
            )
        else:
            add_seeds(topic.path, [host.home for host in found])
            print(_("{count} seeds added to {path}", count=len(found), path=topic.path))
            if topic.describing_pages == topic.seeds:
                warn(_("this topic is learned from its seeds: the next crawl learns it again with the new seeds"))
        return 0
