"""Opens a recorded web: a folder of files, or one that changes."""

from __future__ import annotations

from pathlib import Path

from lab.errors import ReplayError
from lab.replay.lapse import LapseWeb, is_lapse
from lab.replay.search import SearchableWeb
from zhuti.demo.recorded.base import Recording
from zhuti.demo.recorded.files import FileWeb, FolderBlobs


def open_searchable(path: Path, posts: Path) -> Recording:
    """A recorded web of files whose sites can be searched; `posts` is where its posts are kept. Raises ReplayError."""
    recording = open_recording(path)
    if not isinstance(recording, FileWeb):
        recording.close()
        raise ReplayError(f"{path} is not a web of files; give --search with a folder")
    try:
        return SearchableWeb(recording, posts)
    except ReplayError:
        recording.close()
        raise


def open_recording(path: Path, store: Path | None = None) -> Recording:
    """A folder HOST/path/index.html; or a web that changes (lapse.py), which is unpacked into `store`. Raises
    ReplayError."""
    if is_lapse(path):
        if store is None:
            raise ReplayError(f"{path}: is a web that changes; say with --store where it may be unpacked")
        return LapseWeb(path, store)
    if not path.is_dir():
        raise ReplayError(f"{path}: there is no such folder; give that of a recorded web")
    return FileWeb(FolderBlobs(path), str(path))
