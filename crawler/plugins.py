"""What others add to the program by Python's entry points: packages of the user's, and those of Zhuti's own parts that
a crawl does not need, which are in `zhuti/`.

    [project.entry-points."zhuti.scorers"]
    mine = "mypkg.scorers:Mine"             # then LINK_SCORER=mine, or LINK_SCORER=mypkg.scorers.Mine

zhuti.scorers, zhuti.extractors, zhuti.judges, zhuti.sources
    a link scorer, an extractor, a page judge, a source of seeds, by the name that settings give
zhuti.formats
    a `zhuti.export.corpus.Writer`, by the ending of its files without the dot
zhuti.stages
    a `zhuti.export.stage.Stage`, made without arguments: `zhuti export --stage NAME`
zhuti.run_ended
    called with the settings, a `Topic` and a run's number when a run of `zhuti harvest` has ended; the report is one
zhuti.before_removal
    called with the settings before pages are removed; gives what is called with the database afterwards, or None
zhuti.parts
    a part of Zhuti's own, by name
scrapy.commands
    a command: Scrapy finds these itself
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any

from crawler.errors import SettingError
from crawler.messages import _

FORMATS = "zhuti.formats"
STAGES = "zhuti.stages"
RUN_ENDED = "zhuti.run_ended"
BEFORE_REMOVAL = "zhuti.before_removal"
PARTS = "zhuti.parts"


def offered(group: str) -> list[str]:
    """The names under which installed packages offer something of the group, such as "zhuti.scorers"."""
    return sorted(entry_points(group=group).names)


def plugin(setting: str, name: str, group: str) -> Any:
    """What `name` means: an import path if it has a dot, else what a package offers. None where nobody offers it.

    Raises SettingError, which names the setting, for what cannot be imported.
    """
    try:
        if "." in name:
            return resolve_name(name)
        return next((entry.load() for entry in entry_points(group=group, name=name)), None)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingError(
            _("{setting}={name} cannot be imported ({error}); give an import path such as module.Name"),
            setting=setting,
            name=name,
            error=error,
        ) from error


def part(name: str) -> Any:
    """One of Zhuti's own parts that a crawl does not need. Raises SettingError where this installation lacks it."""
    found = plugin(PARTS, name, PARTS)
    if found is None:
        raise SettingError(_("this installation has no part {name!r}; install zhuti as a whole"), name=name)
    return found


def hooks(group: str) -> Iterator[Any]:
    """Everything that installed packages offer in the group, in the order of their names. Raises SettingError for what
    cannot be imported."""
    for name in offered(group):
        yield plugin(group, name, group)
