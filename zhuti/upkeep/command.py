"""zhuti store: what the database holds, and its housekeeping."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.options import age
from crawler.plugins import part
from crawler.tell.command import CrawlerCommand

TASKS = ("stats", "vacuum", "forget", "forget-withdrawn", "upgrade", "index")


class Command(CrawlerCommand):
    usage = f"{'|'.join(TASKS)} [options]"
    summary = _("Show what the database holds, remove pages, free space, upgrade it, update the search index")
    details = _(
        "stats prints sizes and counts. forget, with --host or --older-than, removes pages with"
        " their texts, links and index entries, and lists the archive records that still hold them."
        " forget-withdrawn removes those whose publishers have said no since they were kept."
        " vacuum gives unused space back to the disk. upgrade brings an older database to this"
        " version. index updates the search index; otherwise the next search does it."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        which = parser.add_argument_group(_("What to remove"))
        which.add_argument("--host", metavar="H", help=_("pages of this host and its subdomains"))
        which.add_argument(
            "--older-than",
            type=age,
            metavar="D",
            help=_("pages last fetched before an age such as 90d, 12w, 6m or 2y, or before a day such as 2026-01-31"),
        )
        which.add_argument("--topic", metavar="T", help=_("only pages of this topic that no other topic has judged"))
        which.add_argument("--dry-run", action="store_true", help=_("only show what would be removed"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if len(args) != 1 or args[0] not in TASKS:
            raise UsageError(_("give a task: zhuti store {tasks}", tasks="|".join(TASKS)))
        [task], url, folder = args, settings["STORE_URL"], Path(settings["REPORTS_DIR"])
        chosen = opts.host or opts.older_than or opts.topic or opts.dry_run
        if chosen and not task.startswith("forget"):
            raise UsageError(
                _("--host, --older-than, --topic and --dry-run belong to `store forget`, not to {task}", task=task)
            )
        if task == "forget" and not opts.host and opts.older_than is None:
            raise UsageError(_("say what to remove: zhuti store forget --host H, --older-than D, or both"))
        if task == "stats":
            from zhuti.upkeep.housekeeping import sizes_and_counts

            print(sizes_and_counts(url, folder))
            return 0
        from zhuti.upkeep import housekeeping

        match task:
            case "vacuum":
                print(housekeeping.free_space(url))
            case "forget" | "forget-withdrawn":
                which = (opts.host or "", opts.older_than, opts.topic, opts.dry_run, task == "forget-withdrawn")
                print(housekeeping.remove_pages(settings, *which))
            case "upgrade":
                before, after = housekeeping.upgrade_store(url)
                told = _("upgraded from schema {before} to {after}.", before=before or _("none"), after=after)
                print(_("schema {after}: already up to date.", after=after) if before == after else told)
            case "index":
                print(part("search").update_index(url, folder))
        return 0
