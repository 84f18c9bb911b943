"""A recorded web of which an archive's index knows a part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.errors import ReplayError
from lab.replay.archive_index import HOST
from lab.replay.opening import open_archived
from tests.lab.replay.test_warc import write


def test_half_of_the_pages_and_some_dead_ones(tmp_path: Path) -> None:
    for n in range(200):
        (tmp_path / "a.example").mkdir(exist_ok=True)
        (tmp_path / "a.example" / f"{n}.html").write_text("<p>渡口")
    web = open_archived(tmp_path)
    answers = [web.find("http", HOST, f"/cdx?url=https://a.example/*&{more}") for more in ("", "limit=3")]
    whole, some = ([json.loads(line) for line in answer.body.splitlines()] for answer in answers if answer)
    there = {row["url"] for row in whole if web.find("http", "a.example", row["url"].removeprefix("http://a.example"))}
    assert (len(some), 80 <= len(there) <= 120, 2 <= len(whole) - len(there) <= 20) == (3, True, True)
    unknown = web.find("http", HOST, "/cdx?url=https://b.example/*")
    assert unknown is not None
    assert (unknown.status, unknown.body) == (200, b"")
    web.close()


def test_what_is_no_web_of_files(tmp_path: Path) -> None:
    write(tmp_path / "x.warc.gz", [("http://a.example/", "200 OK", [], b"<p>x")])
    with pytest.raises(ReplayError, match="give --cdx with a folder or a tar file"):
        open_archived(tmp_path / "x.warc.gz")
