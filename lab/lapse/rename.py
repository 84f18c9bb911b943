"""A year in which nothing happens but that sites rename all their posts on one day, made from recorded ones.

    python -m lab.lapse.rename LAPSE OUT --store DIR --hosts HOST ... [--day 10] [--index-gone 3]
    python -m lab.lapse OUT --store OTHER --topics NAME --days 20 --budget 30

OUT has the hosts as they were on day 0. On --day each post moves to another folder, and all that links to it follows.
Sitemaps, feeds and search indexes are gone for --index-gone days then.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import struct
from hashlib import sha1
from pathlib import Path
from typing import Any
from urllib.parse import quote

import zstandard

from lab.lapse.truth import LABELS
from lab.replay.lapse import EVENTS, LapseBlobs

FOLDER = "renamed/"
LINKING = (".html", ".xml", ".json", ".txt", ".js")
INDEX_FILES = (".xml", ".json", ".txt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lapse", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--store", type=Path, required=True, help="folder of what is unpacked of LAPSE")
    parser.add_argument("--hosts", nargs="+", required=True)
    parser.add_argument("--day", type=float, default=10.0)
    parser.add_argument("--index-gone", type=float, default=0.0, help="days for which index files are gone then")
    args = parser.parse_args()
    rename(args.lapse, args.out, args.store, args.hosts, args.day, args.index_gone)


def rename(lapse: Path, out: Path, store: Path, hosts: list[str], day: float, index_gone: float = 0.0) -> None:
    """Writes OUT. Raises ReplayError."""
    (out / "blobs").mkdir(parents=True, exist_ok=True)
    files = LapseBlobs(lapse, store)
    labels = [row for row in _labels(lapse) if row["host"] in hosts and row["initial"]]
    events: list[dict[str, object]] = []
    told: list[dict[str, Any]] = []
    for host in hosts:
        rows = [row for row in labels if row["host"] == host]
        paths = {row["path"] for row in rows if row["is_post"]}
        links = _links(paths)
        with zstandard.open(out / "blobs" / f"{host}.zst", "wb") as stream:
            for name in sorted(name for name in files.names() if name.startswith(f"{host}/") and name in files):
                path, content = name.removeprefix(f"{host}/"), files.read(name)
                is_post = path in paths
                later = links.sub(rb"\1" + FOLDER.encode(), content) if path.endswith(LINKING) else content
                events.append({"host": host, "path": path, "day": 0.0, "blob": _write(stream, content)})
                is_away = path.endswith(INDEX_FILES) and index_gone > 0
                if is_post or is_away:
                    events.append({"host": host, "path": path, "day": day})
                if is_post or is_away or later != content:
                    where, at = FOLDER + path if is_post else path, day + index_gone * is_away
                    events.append({"host": host, "path": where, "day": at, "blob": _write(stream, later)})
        told += [row for old in rows for row in _relabelled(old, day)]
    _lines(out / EVENTS, events)
    _lines(out / LABELS, told)
    known = json.loads((lapse / "hosts.json").read_text("utf-8"))["hosts"]
    (out / "hosts.json").write_text(json.dumps({"hosts": {host: known[host] for host in hosts}}), encoding="utf-8")
    files.close()


def _labels(lapse: Path) -> list[dict[str, Any]]:
    with (lapse / LABELS).open("rb") as packed:
        return list(map(json.loads, io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8")))


def _links(paths: set[str]) -> re.Pattern[bytes]:
    """What stands before the path of a post in a link, from the root of its site."""
    names = {form for path in paths for name in [path.removesuffix("index.html")] for form in (name, quote(name))}
    alike = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rb"(/)(?=(?:" + alike.encode() + rb"))")


def _write(stream: Any, content: bytes) -> str:
    stream.write(struct.pack("<I", len(content)) + content)
    return sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _relabelled(row: dict[str, Any], day: float) -> list[dict[str, Any]]:
    quiet = row | {"changes_text": [], "last_day": 365.0}
    if not row["is_post"]:
        return [quiet]
    root = f"http://{row['host']}/"
    url = root + FOLDER + row["url"].removeprefix(root)
    moved = {"url": url, "path": FOLDER + row["path"], "initial": False, "first_day": day, "moved_from": row["path"]}
    return [quiet | {"last_day": day}, quiet | moved]


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_bytes(zstandard.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


if __name__ == "__main__":
    main()
