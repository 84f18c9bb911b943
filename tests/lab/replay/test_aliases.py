"""Other names of hosts."""

from __future__ import annotations

import pytest

from lab.errors import ReplayError
from zhuti.demo.recorded.site import load_aliases, www_aliases


def test_names_are_read_in_lower_case() -> None:
    text = b'{"x": {"host": "A.example", "aliases": ["B.example", "c.example"]}, "y": {"host": "d", "aliases": []}}'
    assert load_aliases(text, "f") == {"b.example": "a.example", "c.example": "a.example"}


@pytest.mark.parametrize("text", [b"[]", b'{"x": 1}', b'{"x": {"host": "a"}}', b'{"x": {"host": 1, "aliases": ["b"]}}'])
def test_another_shape_is_refused(text: bytes) -> None:
    with pytest.raises(ReplayError, match="must have the form"):
        load_aliases(text, "f")


def test_what_is_no_json_is_named() -> None:
    with pytest.raises(ReplayError, match=r"^f: is not valid JSON"):
        load_aliases(b"\xff", "f")


def test_www_is_put_before_or_taken_away() -> None:
    hosts = {"a.example", "www.b.example", "c.example", "www.c.example"}
    assert www_aliases(hosts) == {"www.a.example": "a.example", "b.example": "www.b.example"}
