"""What is answered for hosts and pages that were not recorded, and for other names."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.replay.opening import open_recording
from zhuti.demo.recorded.site import Site, load_aliases

CASES = [
    ("http", "a.example", "/", 200, None),
    ("http", "A.Example:80", "/", 200, None),
    ("http", "a.example", "/missing", 404, None),
    ("http", "a.example", "/missing#part", 404, None),
    ("http", "nowhere.example", "/", 502, None),
    ("http", "", "/", 502, None),
    ("http", "a.example", "/x/../y", 400, None),
    ("http", "a.example", "/..", 400, None),
    ("http", "old-a.example", "/x?y=1", 301, "http://a.example/x?y=1"),
    ("https", "www.a.example", "/x", 301, "http://a.example/x"),
    ("http", "b.example", "/", 200, None),  # recorded itself, though it is called an alias
]


@pytest.mark.parametrize(("scheme", "host", "target", "status", "location"), CASES)
def test_an_answer(web: Path, scheme: str, host: str, target: str, status: int, location: str | None) -> None:
    recording = open_recording(web)
    site = Site(recording, load_aliases(recording.aliases or b"{}", "aliases"))
    answer = site.answer(scheme, host, target)
    assert (answer.status, dict(answer.headers).get("Location")) == (status, location)
