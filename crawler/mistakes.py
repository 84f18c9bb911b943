"""What goes wrong in the same way in many places, told in the same sentence:

with needs("parquet", ExportError):
    import pyarrow
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from crawler.errors import CrawlerError, ModelError, SettingError
from crawler.messages import _

BROKEN = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error)
Causes = type[BaseException] | tuple[type[BaseException], ...]


class Telling:
    """Within it an exception of `causes` becomes what `tell` makes of it."""

    def __init__(self, causes: Causes, tell: Callable[[BaseException], CrawlerError]) -> None:
        self._causes, self._tell = causes, tell

    def __enter__(self) -> None:
        """Nothing is to be done before."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None and isinstance(error, self._causes):
            raise self._tell(error) from error


def needs(extra: str, kind: type[CrawlerError] = SettingError) -> Telling:
    """Around an import of what an extra brings."""

    def tell(error: BaseException) -> CrawlerError:
        missing = getattr(error, "name", None) or error
        return kind(_("this needs {missing}; pip install 'zhuti[{extra}]'"), missing=missing, extra=extra)

    return Telling(ImportError, tell)


def at_path(path: Path | str, kind: type[CrawlerError], setting: str = "") -> Telling:
    """Around what reads or writes a file or folder of the user's. `setting`: which one names the place."""

    def tell(error: BaseException) -> CrawlerError:
        why = getattr(error, "strerror", None) or error
        if not setting:
            return kind(_("{path} cannot be used ({why}); correct its name or its rights"), path=path, why=why)
        return kind(
            _("{path} cannot be used ({why}); set {setting} to a place that you may write to"),
            path=path,
            why=why,
            setting=setting,
        )

    return Telling(OSError, tell)


def whole_model(path: Path, training: str) -> Telling:
    """Around the reading of a model's file, which may be missing, damaged or of another program. `training`: the
    arguments of `python -m lab train` that make it again."""

    def tell(error: BaseException) -> CrawlerError:
        return ModelError(
            _("{path} is not a model of this version ({error}); make it again: python -m lab train {training}"),
            path=path,
            error=error,
            training=training,
        )

    return Telling(BROKEN, tell)


def known_names(names: Iterable[str], known: Collection[str], what: str, kind: type[CrawlerError]) -> tuple[str, ...]:
    """The names, each once, in the order given. Raises `kind` for an unknown one, or none at all. `what`: the option or
    argument that gave them."""
    wanted = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
    if (unknown := [name for name in wanted if name not in known]) or not wanted:
        named = {"what": what, "unknown": ", ".join(unknown), "known": ", ".join(known)}
        raise kind(_("{what}: {unknown!r} is unknown; choose from {known}"), **named)
    return wanted
