"""zhuti steer: block or boost a host, path or pattern, also while the crawl runs."""

from __future__ import annotations

import argparse

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.messages import _, translated
from crawler.options import topic_name
from crawler.reader.text.printable import legible, minute
from crawler.tell.command import CrawlerCommand


class Command(CrawlerCommand):
    usage = "TOPIC [block|boost|clear PATTERN]"
    takes = (1, 3)
    summary = _("Block or boost a host, path or pattern of a topic; a running crawl obeys at once")
    details = _(
        "PATTERN is a host (a.example, *.example) or how an address begins (a.example/tag/); * stands for anything. A"
        " blocked URL is not fetched, a boosted one is fetched before others; clear undoes both. Without an action the"
        " command lists what is in force."
    )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from crawler.clock import wall_time
        from crawler.database.database import Database
        from crawler.frontier.steering import Action, Steer, add, patterns, steering
        from crawler.store.names import topic_id_of

        if len(args) == 3 and args[1] not in list(Action):
            raise UsageError(_("unknown action {action}; give {known}", action=args[1], known=", ".join(Action)))
        with Database(settings["STORE_URL"], beside=True) as database, database.transaction() as connection:
            topic_id = topic_id_of(connection, topic_name(args[0]))
            if len(args) == 3:
                for pattern in patterns(args[2]) or [args[2]]:
                    add(connection, topic_id, Steer(pattern, Action(args[1]), wall_time(), "zhuti steer"))
            found = steering(connection, topic_id).steers
        for steer in found:
            named = {"action": translated(steer.action), "pattern": legible(steer.pattern), "at": minute(steer.at)}
            print(_("{action}  {pattern}  (since {at} UTC, by {who})", **named, who=steer.who))
        if not found:
            print(_("Nothing is blocked or boosted."))
        return 0
