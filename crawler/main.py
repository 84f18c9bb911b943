"""The console script `zhuti`: Scrapy's command line with our commands, in any folder.

Where a scrapy.cfg is near, its project's settings count, as for `scrapy`; in another project than ours, what these do
not name is taken from `crawler.settings`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, cast

from crawler.messages import N_, _, translated

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand

OFFERED = "scrapy.commands"  # group of entry points by which Scrapy finds commands of others
GROUPS = {
    N_("Crawl"): ("crawl", "harvest", "steer", "rejudge"),
    N_("Topics"): ("topic", "seeds", "label"),
    N_("See what came of it"): ("serve", "topics", "news", "report", "why", "search", "sql", "mcp"),
    N_("Write and keep"): ("export", "extract", "store"),
    N_("Begin"): ("demo", "init"),
}


def main() -> None:
    """Imports take a second, in which Ctrl-C may come: this module has nearly none of them."""
    try:
        _main()
    except KeyboardInterrupt:
        from crawler.exits import INTERRUPTED

        print(_("Stopped."), file=sys.stderr)
        sys.exit(INTERRUPTED)


def _main() -> None:
    _mend_streams()
    if sys.argv[1:2] == ["--version"]:
        from importlib.metadata import version

        print(_("zhuti {zhuti}, Scrapy {scrapy}", zhuti=version("zhuti"), scrapy=version("scrapy")))
        return
    if sys.argv[1:2] in ([], ["-h"], ["--help"], ["help"]):
        print(overview())
        return
    from scrapy.cmdline import execute
    from scrapy.utils.conf import init_env
    from scrapy.utils.project import ENVVAR, get_project_settings

    from crawler.addon import COMMANDS, Zhuti, complete, decide

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


def _mend_streams() -> None:
    """A command works without an output, and in a locale that lacks its signs: those are escaped."""
    sys.stdout, sys.stderr = (stream or Path(os.devnull).open("w") for stream in (sys.stdout, sys.stderr))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")


def overview() -> str:
    """Our commands in a line each, by what they are for, and the names of others."""
    found = _commands()
    lines = [_("Usage: zhuti COMMAND [options] [arguments]; zhuti COMMAND -h tells more")]
    for title, names in GROUPS.items():
        lines += ["", translated(title), *(_line(name, found[name]) for name in names if name in found)]
    grouped = {name for names in GROUPS.values() for name in names}
    rest = ", ".join(name for name in found if name not in grouped)
    return "\n".join([*lines, "", _("Others, of Scrapy (`scrapy -h`) or of other packages: {names}", names=rest)])


def _commands() -> dict[str, Callable[[], type[ScrapyCommand]]]:
    """All commands by name, each with what loads it."""
    from importlib.metadata import entry_points
    from pkgutil import iter_modules

    import scrapy.commands

    import crawler.commands

    def in_module(name: str) -> Callable[[], type[ScrapyCommand]]:
        return lambda: cast("type[ScrapyCommand]", import_module(name).Command)

    packages = scrapy.commands, crawler.commands
    names = [(entry.name, package.__name__) for package in packages for entry in iter_modules(package.__path__)]
    own = {name: in_module(f"{package}.{name}") for name, package in names}
    return own | {entry.name: entry.load for entry in entry_points(group=OFFERED)}


def _line(name: str, load: Callable[[], type[ScrapyCommand]]) -> str:
    return f"  {name:<13} {translated(load()().short_desc())}"


def _refuse_misspelt(command: list[str]) -> None:
    """Ends the program for what is nearly the name of a command."""
    from difflib import get_close_matches

    known = _commands().keys()
    for name in set(command) - known:
        if near := get_close_matches(name, known, 1):
            print(_("Error: unknown command {name}; did you mean {near}?", name=name, near=near[0]), file=sys.stderr)
            sys.exit(2)


if __name__ == "__main__":
    main()
