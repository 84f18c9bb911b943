"""What a site's files ask of one crawler.

Of a robots.txt the part that is meant for it is all that need be kept. What that, tdmrep.json and ai.txt reserve from
text and data mining is said in the words of a robots.txt: Disallow is reserved. So one reader of rules serves all of
them, and the longest rule that fits an address counts.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator

MAX_ROBOTS = 500 * 1024  # bytes that are read (RFC 9309, 2.5)
# As generous as Protego, which reads the rules: "User agent foo" names one, too.
AGENT = re.compile(r"user[- ]?agent\s*[:\s]\s*(.*)", re.IGNORECASE)
RULE = re.compile(r"(?:dis|al|crawl|request|visit)|(?!sitemaps?\b|site-map\b|host\b|license\b)[^:]*:", re.IGNORECASE)

TDMREP = "/.well-known/tdmrep.json"  # TDM Reservation Protocol, W3C Community Group, 6.2
UNSEEN = re.compile("[\0\u200b-\u200f\u2060\ufeff]")
AI_TXT = "/ai.txt"  # in the form of a robots.txt
MOST_RULES = 1000  # of a tdmrep.json that are read
MOST_WILDCARDS = 1000  # of a group that are matched, some 10 ms an address; of real files the most have a few hundred
# Cloudflare's `Content-Signal: search=yes, ai-train=no`; the IETF's `Content-Usage: /path train-ai=n` (aipref).
SIGNAL = re.compile(r"content-(?:signal|usage)\s*:\s*(/\S*\s)?(.*)", re.IGNORECASE)
PREFERENCE = re.compile(r"(?:^|,)\s*([\w*.-]+)\s*=\s*(yes|no|y|n)\s*(?=[,;]|$)", re.IGNORECASE)
TRAINING = "ai-train"
# What a corpus may be for, and the names of that. bots: all machines, where nothing is said of the use.
USES = {TRAINING: (TRAINING, "train-ai", "train-genai"), "search": ("search",)} | {
    use: (use,) for use in ("ai-input", "ai-index")
}
ITEM = re.compile(r"\s*[a-z*][\w.*-]*(?:\s*=\s*[^\s=;]+)?\s*(?:;.*)?", re.IGNORECASE)  # of a preference, "name=y"


def robots_text(body: bytes) -> str:
    """What is read of a robots.txt: whole lines of its first MAX_ROBOTS bytes. UTF-16 is read too, though none should
    be. NUL, which it leaves behind without a mark, several byte order marks and what cannot be seen hide no rule, nor
    does a colon of Chinese input methods. Other bytes than UTF-8 are escaped as they are (RFC 9309, 2.2.2)."""
    if len(body) > MAX_ROBOTS:
        body = body[: max(body.rfind(end, 0, MAX_ROBOTS) for end in (b"\n", b"\r")) + 1]
    encoding = "utf-16" if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = body.decode(encoding, "strict" if encoding == "utf-8-sig" else "ignore")
    except UnicodeDecodeError:
        text = "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in body.replace(b"\x85", b"\n"))
    return UNSEEN.sub("", text).replace("：", ":")


def own_group(text: str, useragent: str) -> str:
    """The rules for this crawler as a robots.txt with one group, for every agent; "" when there are none.

    As in Protego the longest name that is in the user agent wins, the first of equals; `*` has length 1. Groups of
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
    return "\n".join(["User-agent: *", *_matchable(rules)])


def _matchable(rules: Iterable[str]) -> Iterator[str]:
    """The rules, with MOST_WILDCARDS at most: matching takes their number times the address's length. What is above is
    read more strictly: an Allow is left out, a Disallow ends before its first wildcard."""
    wildcards = 0
    for rule in rules:
        wildcards += rule.count("*")
        if wildcards <= MOST_WILDCARDS or "*" not in rule:
            yield rule
        elif rule[:1] in "dD":
            yield f"Disallow: {rule.partition(':')[2].partition('*')[0].strip() or '/'}"


def _names(text: str) -> tuple[str, str]:
    """The agent's name without a version, and the same without wildcards, which some write."""
    name = text.partition("/")[0].strip().lower()
    return name, name if name == "*" else name.replace("*", "")


def _score(name: str, robot: str) -> int:
    """How well an agent's name fits, 0 not at all: it is in the user agent where a word begins."""
    if name == "*":
        return 1
    found = bool(name) and name in robot and re.search(rf"(?<![\w-]){re.escape(name)}", robot)
    return len(name) if found else 0


def reserves(value: str, use: str = TRAINING) -> bool:
    """Whether a Content-Signal or Content-Usage reserves a page from a use."""
    return prefers(value, use) is False


def prefers(value: str, use: str = TRAINING) -> bool | None:
    """Whether it allows a use; None where it says nothing of that. Of a name that occurs twice the last counts, and
    what has another form than `name=y` is passed over (RFC 9651; draft-ietf-aipref-vocab)."""
    said = {name.lower(): word[0] in "yY" for name, word in PREFERENCE.findall(value)}
    named = [said[name] for name in USES[use] if name in said]
    return all(named) if named else said.get("bots")


def malformed(group: str, headers: Iterable[str] = ()) -> list[str]:
    """Preferences of which a part has not the form of a dictionary of structured fields (RFC 9651)."""
    lines = [one[2] for line in group.splitlines() if (one := SIGNAL.match(line))]
    return [said for said in (*lines, *headers) if not all(map(ITEM.fullmatch, said.split(",")))]


def by_signals(group: str, use: str = TRAINING) -> str:
    """Reads the lines of a robots.txt that are meant for this crawler (text.robots_groups.own_group); "" where none
    reserves."""
    found = [SIGNAL.match(line) for line in group.splitlines()]
    said = [((one[1] or "/").strip(), prefers(one[2], use)) for one in found if one]
    return _rules([(place, not allowed) for place, allowed in said if allowed is not None])


def by_tdmrep(body: bytes) -> str:
    """Returns the rule of a tdmrep.json; "" if it is not one."""
    try:
        entries = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(entries, list):
        return ""
    said = [entry for entry in entries[:MOST_RULES] if isinstance(entry, dict)]
    places = [(str(entry.get("location", "")), str(entry.get("tdm-reservation"))) for entry in said]
    return _rules([(place, value == "1") for place, value in places if value in ("0", "1")])


def _rules(places: list[tuple[str, bool]]) -> str:
    lines = [f"{'Disallow' if reserved else 'Allow'}: {place}" for place, reserved in places if _is_path(place)]
    return "\n".join(["User-agent: *", *lines]) if lines else ""


def _is_path(place: str) -> bool:
    return place.startswith(("/", "*")) and place.isprintable()
