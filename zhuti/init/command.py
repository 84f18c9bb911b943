"""zhuti init: a Scrapy project of one's own, with a topic to edit."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path
from string import Template

from scrapy.settings import BaseSettings

from crawler.bundled import EXAMPLE
from crawler.errors import SettingError
from crawler.messages import _
from crawler.mistakes import at_path
from crawler.tell.command import CrawlerCommand
from zhuti.identity.signing import DIRECTORY, make_keys


class Command(CrawlerCommand):
    requires_project = False

    usage = "DIR [--keys]"
    takes = (1,)
    summary = _("Make a project of your own: settings, a topic file to edit, systemd units for a schedule")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--keys", action="store_true", help=_("make a key that signs a crawl's requests (SIGN_WITH), no project")
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        folder = Path(args[0]).resolve()
        if opts.keys:
            return _tell_keys(folder)
        make_project(folder)
        print(
            _(
                "A project is in {folder}. Next:\n  cd {quoted}\n  edit topics/example.toml (what to look for,"
                " where to start) and settings.py (who you are)\n  zhuti crawl topic -a topic=example"
                " -s CONTACT=me@my.org\n  give the topic a [schedule], and `zhuti harvest --watch` crawls it when it is"
                " due",
                folder=folder,
                quoted=shlex.quote(str(folder)),
            )
        )
        return 0


TEMPLATES = Path(__file__).parent / "project"
FILES = {
    "scrapy.cfg": "scrapy.cfg",
    "settings.txt": "settings.py",
    "gitignore.txt": ".gitignore",
    "zhuti.service": "deploy/zhuti.service",
    "zhuti.timer": "deploy/zhuti.timer",
}


def _tell_keys(folder: Path) -> int:
    with at_path(folder, SettingError):
        key = make_keys(folder)
    print(
        _(
            "The key is {key}; keep it secret, and crawl with -s SIGN_WITH={key}\n{directory} is its public half: put"
            " it on the site of your CONTACT, at /{path}",
            key=key,
            directory=folder / DIRECTORY,
            path=DIRECTORY,
        )
    )
    return 0


def make_project(folder: Path) -> None:
    """Raises SettingError for a folder that holds something, or that cannot be written."""
    words = {"name": folder.name, "folder": folder, "program": Path(sys.argv[0]).resolve().with_name("zhuti")}
    with at_path(folder, SettingError):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise SettingError(_("{folder} exists and is not empty; give a new folder"), folder=folder)
        for name in ("topics", "deploy"):
            (folder / name).mkdir(parents=True)
        for template, name in FILES.items():
            text = Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(words)
            (folder / name).write_text(text, encoding="utf-8")
        shutil.copy(EXAMPLE, folder / "topics")
