"""Writes the demo web, the same bytes at every run: python -m lab.demo.generate DIR

Beside the hosts' folders DIR gets _replay.json and aliases.json, which `lab replay DIR` reads, and truth.jsonl: for
every page its url, host, topic, kind, title, published, author, body, copy_of (the page whose text it repeats) and
allowed (by robots.txt).
"""

from __future__ import annotations

import sys
from pathlib import Path

from zhuti.demo.web.build import build


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("Give one folder to write to: python -m lab.demo.generate DIR", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    try:
        count = build(folder)
    except OSError as error:
        print(f"{folder}: cannot be written ({error.strerror}); give another folder", file=sys.stderr)
        return 1
    print(f"{count} pages in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
