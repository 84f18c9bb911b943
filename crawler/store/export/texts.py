"""A folder of plain texts: texts/000/00000001.txt and on, and index.jsonl that says what each is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from crawler.store.export.document import Document, record

PER_FOLDER = 1_000  # files; many tools are slow on folders of more
INDEX = "index.jsonl"


def write_texts(documents: Iterable[Document], path: Path, fields: Sequence[str]) -> int:
    """Into the folder `path`, which is there. A text is title, empty line, body. Returns how many."""
    known = [name for name in fields if name != "body"]
    count = 0
    with (path / INDEX).open("w", encoding="utf-8", errors="replace", newline="\n") as index:
        for count, document in enumerate(documents, start=1):
            name = f"texts/{count // PER_FOLDER:03}/{count:08}.txt"
            if count == 1 or count % PER_FOLDER == 0:
                (path / name).parent.mkdir(parents=True, exist_ok=True)
            text = f"{document.title}\n\n{document.body}\n".encode("utf-8", "replace")
            (path / name).write_bytes(text)
            line = {"file": name} | record(document, known)
            index.write(json.dumps(line, ensure_ascii=False) + "\n")
    return count
