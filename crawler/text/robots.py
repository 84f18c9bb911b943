"""The part of a robots.txt that is meant for one crawler: all that need be kept of it."""

from __future__ import annotations

import re

MAX_ROBOTS = 500 * 1024  # bytes that are read (RFC 9309, 2.5)
# As generous as Protego, which reads the rules: "User agent foo" names one, too.
AGENT = re.compile(r"user[- ]?agent\s*[:\s]\s*(.*)", re.IGNORECASE)
RULE = re.compile(r"(?:dis|al|crawl|request|visit)|(?!sitemaps?\b|site-map\b|host\b)[^:]*:", re.IGNORECASE)


def robots_text(body: bytes) -> str:
    """What is read of a robots.txt: whole lines of its first MAX_ROBOTS bytes."""
    if len(body) > MAX_ROBOTS:
        body = body[: body.rfind(b"\n", 0, MAX_ROBOTS) + 1]
    return body.decode("utf-8-sig", "ignore")


def own_group(text: str, useragent: str) -> str:
    """The rules for this crawler as a robots.txt with one group, for every agent; "" when there are none.

    As in Protego the longest name that stands in the user agent wins, the first of equals; `*` has length 1. Groups of
    one name are one. One pass, so that the time does not grow with agents times rules.
    """
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    named = dict.fromkeys(name for line in lines if (agent := AGENT.match(line)) for name in _names(agent[1]))
    robot = useragent.lower()
    best = max(named, key=lambda name: _score(name, robot), default="")
    if not _score(best, robot):
        return ""
    rules: list[str] = []
    ours = in_rules = False
    for line in lines:
        agent = AGENT.match(line)
        if agent:
            ours = best in _names(agent[1]) or (ours and not in_rules)
            in_rules = False
        elif RULE.match(line):
            in_rules = True
            if ours:
                rules.append(line)
    return "\n".join(["User-agent: *", *rules])


def _names(text: str) -> tuple[str, str]:
    """The agent's name, and the same without wildcards, which some write."""
    name = text.strip().lower()
    return name, name if name == "*" else name.replace("*", "")


def _score(name: str, robot: str) -> int:
    """How well an agent's name fits, 0 not at all: it stands in the user agent where a word begins."""
    if name == "*":
        return 1
    found = bool(name) and name in robot and re.search(rf"(?<![\w-]){re.escape(name)}", robot)
    return len(name) if found else 0
