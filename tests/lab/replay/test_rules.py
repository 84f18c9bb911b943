"""What `_replay.json` may say, and what is said to those who write it wrongly."""

from __future__ import annotations

import json

import pytest

from lab.errors import ReplayError
from zhuti.demo.recorded.files import Rule, load_rules

URL = "http://a.example/"
GOOD = [
    ({}, Rule()),
    ({"status": 404}, Rule(404)),
    ({"location": "/x"}, Rule(301, "/x")),
    ({"status": 307, "location": "/x"}, Rule(307, "/x")),
    ({"content_type": ""}, Rule(content_type="")),
]
BAD = [
    ({URL: 3}, "no keys but content_type, location, status"),
    ({URL: {"colour": 1}}, "no keys but content_type, location, status"),
    ({URL: {"status": "200"}}, "status '200'; give a number from 200 to 599"),
    ({URL: {"status": 99}}, "status 99"),
    ({URL: {"location": "/x", "status": 200}}, "give a status from 300 to 399"),
    ({URL: {"content_type": "a\r\nb"}}, "as one line"),
    ({"/path": {}}, "'/path' is not an address"),
    ([], "must be an object of rules"),
]


@pytest.mark.parametrize(("entry", "rule"), GOOD)
def test_a_rule_is_read(entry: object, rule: Rule) -> None:
    assert load_rules(json.dumps({URL: entry}).encode(), "f") == {URL: rule}


@pytest.mark.parametrize(("content", "message"), BAD)
def test_a_wrong_rule_is_named(content: object, message: str) -> None:
    with pytest.raises(ReplayError, match=message):
        load_rules(json.dumps(content).encode(), "f")


def test_what_is_no_json_is_named() -> None:
    with pytest.raises(ReplayError, match=r"^f: is not valid JSON"):
        load_rules(b"{", "f")
