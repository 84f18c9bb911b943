"""The console script `zhuti`: Scrapy's command line with our commands, in any folder.

Where a scrapy.cfg is near, its project's settings count, as for `scrapy`; in another project than ours, what these do
not name is taken from `crawler.settings`.
"""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from importlib.metadata import version
from pkgutil import iter_modules

import scrapy.commands
from scrapy.cmdline import execute
from scrapy.utils.conf import init_env
from scrapy.utils.project import ENVVAR, get_project_settings

import crawler.commands as ours
from crawler.addon import Zhuti, complete
from crawler.messages import _


def main() -> None:
    if sys.argv[1:2] == ["--version"]:
        print(f"zhuti {version('zhuti')}, Scrapy {version('scrapy')}")
        return
    _refuse_misspelt(sys.argv[1:2])
    init_env(os.environ.get("SCRAPY_PROJECT", "default"))
    os.environ.setdefault(ENVVAR, "crawler.settings")
    try:
        settings = get_project_settings()
    except ImportError as error:
        sys.exit(
            _(
                "Error: the settings of this Scrapy project cannot be imported ({error}); correct its scrapy.cfg",
                error=error,
            )
        )
    Zhuti.update_pre_crawler_settings(settings)
    complete(settings)
    settings.set("COMMANDS_MODULE", "crawler.commands", "project")
    execute(["zhuti", *sys.argv[1:]], settings)


def _refuse_misspelt(command: list[str]) -> None:
    """Ends the program for what is nearly the name of a command."""
    known = {module.name for place in (ours, scrapy.commands) for module in iter_modules(place.__path__)}
    for name in set(command) - known:
        if near := get_close_matches(name, known, 1):
            print(_("Error: unknown command {name}; did you mean {near}?", name=name, near=near[0]), file=sys.stderr)
            sys.exit(2)
