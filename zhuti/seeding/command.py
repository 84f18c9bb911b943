"""zhuti seeds: seeds of a topic, from its crawl or from elsewhere."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.messages import _, ngettext
from crawler.options import Number
from crawler.tell.command import SOME, CrawlerCommand

LIMIT = 20
LEAST_SHOWN = 0.01  # least similarity of a page that is printed


class Command(CrawlerCommand):
    usage = 'TOPIC [HOST ...] | find "WORDS" --from NAME:PLACE [--topic TOPIC]  [--limit N] [--accept]'
    takes = SOME
    summary = _("Propose new seeds: hosts that a crawl found, or pages that other sources know")
    details = _(
        "With a TOPIC it proposes hosts that are not seeds yet: those that gave at least 3 pages on the topic, and"
        " whose share of such pages is at least the crawl's mean. --accept writes them, or only the HOSTs given,"
        " into the topic file.\n"
        "With find and words it asks the sources of --from or SEED_SOURCE, fetches what they name, at most N pages and"
        " two of a host, by a crawl's rules, and ranks them by how much they are about the words. --accept writes those"
        " that are, as seeds, into the file of --topic, or into a new one named after the words."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        hosts = Number(_("hosts"), least=1)
        parser.add_argument(
            "--limit", type=hosts, default=LIMIT, metavar="N", help=_("propose at most N; default {limit}", limit=LIMIT)
        )
        parser.add_argument(
            "--from",
            dest="sources",
            action="append",
            metavar="NAME:PLACE",
            help=_("a source for find, such as searxng:http://localhost:8080 or list:FILE; several are asked in turn"),
        )
        parser.add_argument("--topic", default="", metavar="TOPIC", help=_("for find: whose topic file gets the seeds"))
        parser.add_argument("--accept", action="store_true", help=_("write them into the topic file"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if args[0] == "find":
            return _find(args[1:], opts, settings)
        from crawler.database.database import Database
        from crawler.errors import SeedError
        from crawler.reader.text.printable import legible, warn
        from crawler.store.names import host_name, topic_id_of
        from crawler.topic.file_writer import add_seeds
        from crawler.topic.files import Topic
        from zhuti.seeding.new_hosts import new_hosts

        folder = Path(settings["TOPICS_DIR"])
        topic = Topic.load(args[0], folder)
        wanted = {host_name(host, SeedError) for host in args[1:]}
        with Database(settings["STORE_URL"], readonly=True) as database, database.transaction() as connection:
            found = new_hosts(connection, topic_id_of(connection, topic.name), topic.seeds)
        found = [host for host in found if topic.allows(host.home) and (not wanted or host.name in wanted)]
        if missing := wanted - {host.name for host in found}:
            raise SeedError(
                _("{missing} is not among the hosts that `zhuti seeds` proposes"), missing=", ".join(sorted(missing))
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
        else:
            path = add_seeds(topic, [host.home for host in found], folder)
            print(ngettext("{count} seed added to {path}", "{count} seeds added to {path}", len(found), path=path))
            if topic.describing_pages == topic.seeds:
                warn(_("this topic is learned from its seeds: the next crawl learns it again with the new seeds"))
        return 0


def _find(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
    if not args:
        raise UsageError(_('give words: zhuti seeds find "WORDS" --from NAME:PLACE'))
    from crawler.reader.text.printable import legible, printable
    from zhuti.seeding.seed_search import SeedSearch

    seeds = SeedSearch(" ".join(args), opts.topic, settings)
    pages = seeds.look(opts.sources or settings.getlist("SEED_SOURCE"), opts.limit)
    told = [page for page in pages if page.similarity >= LEAST_SHOWN]
    for page in told:
        print(f"{page.similarity:.3f}  {printable(page.title) or _('(no title)')}\n       {legible(page.url)}")
    if rest := len(pages) - len(told):
        more = ngettext(
            "{count} more page says nothing of the words.", "{count} more pages say nothing of the words.", rest
        )
        print(more)
    if not pages:
        print(_("None of the pages that the sources named could be fetched."))
    elif opts.accept:
        path, added = seeds.accept(pages)
        print(ngettext("{count} seed added to {path}", "{count} seeds added to {path}", added, path=path))
    else:
        print(_("--accept writes those that are about the words into a topic file."))
    return 0
