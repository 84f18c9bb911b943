"""The body extractors by name."""

from __future__ import annotations

from crawler.errors import SettingError
from crawler.extract.base import Extractor
from crawler.extract.plain import plain

EXTRACTORS: dict[str, Extractor] = {"plain": plain}


def extractor(name: str) -> Extractor:
    """The extractor of that name. Raises SettingError with the list of names for any other."""
    try:
        return EXTRACTORS[name]
    except KeyError:
        known = ", ".join(sorted(EXTRACTORS))
        raise SettingError(f"There is no extractor {name!r}; use one of: {known}.") from None
