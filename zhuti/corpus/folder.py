"""A lake: a folder of Parquet files, on this machine or wherever fsspec reaches, such as s3://.

    lake/host=a.example/day=2026-11-24/java-000000001234.parquet
    lake/_zhuti/java.json

A file's number is the last row of the fetch log of the pages that were written at once, or a free one above it.
`_zhuti/TOPIC.json` says of which harvest they are. A file gets its name when it is whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from crawler.errors import LakeError
from crawler.messages import _
from crawler.mistakes import needs

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow

ENDING = ".parquet"
PART = ".part"  # behind the name of a file that is being written
OURS = "_zhuti"  # folder of what exports remember
MAGIC = b"PAR1"  # a Parquet file begins and ends with it
LEAST_FILE = 12  # bytes of a Parquet file
# How folders of a partition are called by columns that the files have, too: pyarrow and pandas would read these as a
# dictionary, or 163 as a number, and refuse the files, where they are text.
FOLDERS = {name: f"of_{name}" for name in ("host", "language", "kind")}


@dataclass(frozen=True, slots=True)
class Written:
    """What the files of a topic are."""

    first_at: float  # when the topic's first fetch was: whether the lake is of this harvest
    partition: tuple[str, ...]  # by what the files lie in folders


class Lake:
    """Raises LakeError for a folder that cannot be reached, read or written."""

    def __init__(self, place: str) -> None:
        """`place`: as fsspec names it."""
        with needs("lake", LakeError):
            import fsspec
        self.place = place
        try:
            self._files, self._root = fsspec.core.url_to_fs(place.rstrip("/") or "/")
        except (ImportError, ValueError) as error:  # an unknown protocol, or one whose package is missing
            raise LakeError(_("{place}: {error}"), place=place, error=error) from error

    def written(self, topic: str) -> Written | None:
        """What is written of the topic; None: nothing."""
        path = self._note(topic)
        with as_lake_error(path):
            if not self._files.exists(path):
                return None
            try:
                found = json.loads(self._files.cat_file(path))
                return Written(float(found["first_at"]), tuple(found["partition"]))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise LakeError(
                    _("{path} is not a note of an export; remove the lake, and export again"), path=path
                ) from error

    def note(self, topic: str, written: Written) -> None:
        """Notes that this is written."""
        self._whole(self._note(topic), json.dumps(asdict(written)).encode())

    def write(self, topic: str, number: int, folders: Sequence[tuple[str, str]], table: pyarrow.Table) -> None:
        """A file of pages. `folders`: the columns of the partition with their values."""
        inner = "".join(f"{FOLDERS.get(name, name)}={_safe(value)}/" for name, value in folders)
        with as_lake_error(self.place):
            while self._files.exists(path := f"{self._root}/{inner}{_safe(topic)}-{number:012}{ENDING}"):
                number += 1  # of a page that had left and is back
        self._write(path, table)

    def fetches(self, topic: str) -> tuple[dict[str, npt.NDArray[np.int64]], list[str]]:
        """The rows of the fetch log whose pages each of the topic's files holds. Removes what is not whole, and returns
        its paths too."""
        from pyarrow import ArrowInvalid, parquet, types

        found, broken = {}, []
        with as_lake_error(self.place):
            for path in self.files_of(topic):
                try:
                    if path.endswith(PART) or not self._is_whole(path):
                        raise ArrowInvalid(path)
                    with self._files.open(path, "rb") as file:
                        table = parquet.ParquetFile(file).read(["fetch"])
                except ArrowInvalid:
                    self._files.rm_file(path)
                    broken.append(path)
                    continue
                if not table.num_columns or not types.is_integer(table["fetch"].type) or table["fetch"].null_count:
                    raise LakeError(_("{path} was not written by an export; remove it, and export again"), path=path)
                found[path] = table["fetch"].to_numpy()
        return found, broken

    def files_of(self, topic: str) -> list[str]:
        """Paths of the topic's files, also of those that are not whole."""
        name = re.compile(rf"{re.escape(_safe(topic))}-\d{{12}}{re.escape(ENDING)}({re.escape(PART)})?")
        with as_lake_error(self.place):
            return [path for path in self._found() if name.fullmatch(path.rpartition("/")[2])]

    def keep(self, path: str, wanted: npt.NDArray[np.bool_]) -> int:
        """Takes the other rows out of a file. Returns how many these were."""
        import pyarrow
        from pyarrow import parquet

        with as_lake_error(path):
            if not wanted.any():
                self._files.rm_file(path)
            elif not wanted.all():
                with self._files.open(path, "rb") as file:
                    self._write(path, parquet.ParquetFile(file).read().filter(pyarrow.array(wanted)))
        return int((~wanted).sum())

    def _write(self, path: str, table: pyarrow.Table) -> None:
        import pyarrow
        from pyarrow import parquet

        sink = pyarrow.BufferOutputStream()
        parquet.write_table(table, sink, compression="zstd")
        self._whole(path, sink.getvalue())

    def tables(self) -> tuple[list[str], list[str]]:
        """The Parquet files as other programs open them, and those that are not whole. Raises LakeError when there is
        none."""
        protocol = self._files.protocol if isinstance(self._files.protocol, str) else self._files.protocol[0]
        prefix = "" if self.is_local else f"{protocol}://"
        whole: list[str] = []
        broken: list[str] = []
        with as_lake_error(self.place):
            for path in self._found():
                if path.endswith(ENDING):
                    (whole if self._is_whole(path) else broken).append(f"{prefix}{path}")
        if not whole:
            raise LakeError(
                _("{place} holds no Parquet file; write some with `zhuti export TOPIC {place} --partition day`"),
                place=self.place,
            )
        return whole, broken

    @property
    def is_local(self) -> bool:
        return "file" in (self._files.protocol if not isinstance(self._files.protocol, str) else [self._files.protocol])

    @property
    def files(self) -> Any:
        """fsspec's file system."""
        return self._files

    def _note(self, topic: str) -> str:
        return f"{self._root}/{OURS}/{_safe(topic)}.json"

    def _found(self) -> list[str]:
        return sorted(self._files.find(self._root)) if self._files.exists(self._root) else []

    def _is_whole(self, path: str) -> bool:
        if self._files.size(path) < LEAST_FILE:
            return False
        return bool(self._files.tail(path, len(MAGIC)) == MAGIC)

    def _whole(self, path: str, content: Any) -> None:
        with as_lake_error(path):
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            with self._files.open(path + PART, "wb") as file:
                file.write(content)
            self._files.mv(path + PART, path)


@contextmanager
def as_lake_error(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        told = error.strerror or error
        raise LakeError(
            _("{path}: cannot be read or written ({told}); check the folder, its rights and the disk"),
            path=path,
            told=told,
        ) from error


def _safe(value: str) -> str:
    """Escapes a value for a folder name, as Hive does."""
    return quote(value, safe=" ")
