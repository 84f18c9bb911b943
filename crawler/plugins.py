"""Link scorers, extractors and page judges of the user's own: by import path, or by the name under which an installed
package offers them.

    [project.entry-points."zhuti.scorers"]
    mine = "mypkg.scorers:Mine"             # then LINK_SCORER=mine, or LINK_SCORER=mypkg.scorers.Mine
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any

from crawler.errors import SettingError
from crawler.messages import _


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
