"""The console script `zhuti`: Scrapy's command line with our commands, in any folder.

Where a scrapy.cfg is near, its project's settings count, as for `scrapy`; in another project than ours, what these do
not name is taken from `crawler.settings`.
"""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import iter_modules

import scrapy.commands
from scrapy.cmdline import execute
from scrapy.utils.conf import init_env
from scrapy.utils.project import ENVVAR, get_project_settings

from crawler.addon import COMMANDS, Zhuti, complete, decide
from crawler.messages import N_, _, shown

OURS = Path(__file__).parents[1] / "commands"
GROUPS = {
    N_("Crawl"): ("crawl", "harvest", "steer", "rejudge"),
    N_("Topics"): ("topic", "seeds", "label"),
    N_("See what came of it"): ("serve", "topics", "news", "report", "why", "search", "sql", "mcp"),
    N_("Write and keep"): ("export", "extract", "store"),
    N_("Begin a project of your own"): ("init",),
    N_("Measure and train, in a checkout of the repository"): ("replay", "evaluate", "train"),
}


def main() -> None:
    if sys.argv[1:2] == ["--version"]:
        print(_("zhuti {zhuti}, Scrapy {scrapy}", zhuti=version("zhuti"), scrapy=version("scrapy")))
        return
    if sys.argv[1:2] in ([], ["-h"], ["--help"], ["help"]):
        print(overview())
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
    decide(settings, COMMANDS_MODULE=COMMANDS)
    execute(["zhuti", *sys.argv[1:]], settings)


def overview() -> str:
    """All commands in a line each, ours by what they are for."""
    lines = [_("Usage: zhuti COMMAND [options] [arguments]; zhuti COMMAND -h tells more")]
    for title, names in GROUPS.items():
        lines += ["", shown(title), *(_line("crawler.commands", name) for name in names)]
    grouped = {name for names in GROUPS.values() for name in names}
    rest = [module.name for module in iter_modules(scrapy.commands.__path__) if module.name not in grouped]
    return "\n".join([*lines, "", _("Scrapy's own"), *(_line("scrapy.commands", name) for name in rest)])


def _line(package: str, name: str) -> str:
    return f"  {name:<13} {shown(import_module(f'{package}.{name}').Command().short_desc())}"


def _refuse_misspelt(command: list[str]) -> None:
    """Ends the program for what is nearly the name of a command."""
    known = {module.name for module in iter_modules([*scrapy.commands.__path__, str(OURS)])}
    for name in set(command) - known:
        if near := get_close_matches(name, known, 1):
            print(_("Error: unknown command {name}; did you mean {near}?", name=name, near=near[0]), file=sys.stderr)
            sys.exit(2)
