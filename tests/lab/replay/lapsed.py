"""A small web that changes, written as `python -m lab replay` serves it."""

from __future__ import annotations

import hashlib
import json
import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import zstandard

States = Mapping[str, Sequence[tuple[float, str | None]]]  # "HOST/path": the days of its contents; None: deleted


def write(folder: Path, states: States) -> Path:
    """Writes events, contents, hosts and labels without posts; returns the folder."""
    (folder / "blobs").mkdir(parents=True)
    contents: defaultdict[str, bytes] = defaultdict(bytes)
    events = []
    for name, changes in states.items():
        host, _, path = name.partition("/")
        for day, text in changes:
            row: dict[str, object] = {"host": host, "path": path, "day": day}
            if text is not None:
                content = text.encode()
                row["blob"] = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
                contents[host] += struct.pack("<I", len(content)) + content
            events.append(row)
    for host, stream in contents.items():
        (folder / "blobs" / f"{host}.zst").write_bytes(zstandard.compress(stream))
    lines = "".join(json.dumps(row) + "\n" for row in events)
    (folder / "events.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    hosts = {"hosts": {host: {"aliases": [f"old-{host}"]} for host in contents}}
    (folder / "hosts.json").write_text(json.dumps(hosts), encoding="utf-8")
    return folder
