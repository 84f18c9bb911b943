"""What a site's files reserve from mining, in the words of a robots.txt."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st
from protego import Protego

from crawler.reader.text.robots_groups import MOST_RULES, by_signals, by_tdmrep


def reserved(rules: str, path: str) -> bool:
    return not Protego.parse(rules).can_fetch(f"http://a.example{path}", "Zhuti/0.1")


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ("Content-Signal: search=yes, ai-train=no", "/x", True),
        ("content-signal: ai-train=no,use=reference", "/x", True),
        ("Content-Signal: ai-train=yes, search=no", "/x", False),
        ("Content-Signal: ai-input=no", "/x", False),
        ("Content-Usage: train-ai=n", "/x", True),
        ("Content-Usage: train-ai=y", "/x", False),
        ("Content-Usage: /art/ train-ai=n", "/art/1", True),
        ("Content-Usage: /art/ train-ai=n", "/x", False),
        ("Disallow: /ai-train=no", "/ai-train=no", False),
        ("Content-Signal:", "/x", False),
    ],
)
def test_signals_of_a_robots_txt(line: str, path: str, expected: bool) -> None:
    assert reserved(by_signals(f"User-agent: *\n{line}"), path) == expected


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ([("/", 1)], "/x", True),
        ([("/", "1")], "/x", True),
        ([("/", 0)], "/x", False),
        ([("/art/*", 1)], "/art/1", True),
        ([("/art/*", 1)], "/x", False),
        ([("/*.pdf$", 1)], "/a.pdf", True),
        ([("*", 1), ("/open/", 0)], "/open/1", False),
        ([("/open/", 0), ("/", 1)], "/x", True),
        ([("x", 1), ("/\nAllow: /", 1), ("", 1)], "/x", False),
        ([("/", 1.5), ("/", True), ("/", None)], "/x", False),
    ],
)
def test_tdmrep(rules: list[tuple[str, object]], path: str, expected: bool) -> None:
    body = json.dumps([{"location": place, "tdm-reservation": value, "tdm-policy": "/p"} for place, value in rules])
    assert reserved(by_tdmrep(body.encode()), path) == expected


@pytest.mark.parametrize("body", [b"", b"{}", b"[1, null, []]", b"<html>", b"[" * 100_000, b"\xff", b"[{}]"])
def test_what_is_no_tdmrep_reserves_nothing(body: bytes) -> None:
    assert by_tdmrep(body) == ""


def test_a_tdmrep_has_a_bound() -> None:
    many = [{"location": f"/{n}", "tdm-reservation": 1} for n in range(2 * MOST_RULES)]
    assert by_tdmrep(json.dumps(many).encode()).count("Disallow") == MOST_RULES


@given(st.text(), st.binary())
def test_anything(text: str, body: bytes) -> None:
    Protego.parse(by_signals(text))
    Protego.parse(by_tdmrep(body))
