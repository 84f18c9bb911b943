"""zhuti init: a Scrapy project of one's own, with a topic to edit."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.messages import _
from crawler.tell.command import CrawlerCommand
from zhuti.init.new_project import make_project


class Command(CrawlerCommand):
    requires_project = False

    usage = "DIR"
    summary = _("Make a project of your own: settings, a topic file to edit, systemd units for a schedule")

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        if len(args) != 1:
            raise UsageError(_("give a new folder: zhuti init my-harvest"))
        folder = Path(args[0]).resolve()
        make_project(folder)
        print(
            _(
                "A project is in {folder}. Next:\n  cd {quoted}\n  edit topics/example.toml (what to look for,"
                " where to start) and settings.py (who you are)\n  zhuti crawl topic -a topic=example\n  give"
                " the topic a [schedule], and `zhuti harvest --watch` crawls it when it is due",
                folder=folder,
                quoted=shlex.quote(str(folder)),
            )
        )
        return 0
